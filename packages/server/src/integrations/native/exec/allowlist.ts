import { compilePattern } from './linear-pattern.ts'
import { dependsOnArguments, runsOthers } from './runs-others.ts'
import type { ShellSegment } from './shell-segments.ts'

/** A program an agent may run without asking. */
export interface AllowlistEntry {
  /** A bare name, found on the PATH, or a glob on the whole path (`*` stays in a folder, `**` does not). */
  readonly pattern: string
  /** A regular expression on the arguments, joined by one space. */
  readonly argPattern?: string
  /** Exactly these arguments. */
  readonly args?: readonly string[]
}

/** Where the program of a segment was found. */
export interface ResolvedProgram {
  /** As it was looked up. */
  readonly path: string
  /** Where links lead. */
  readonly real: string
  /** By its bare name, in a folder of the PATH outside the workspace. */
  readonly onPath: boolean
}

/** By the program's word; null or absent when it was not found. */
export type ResolvedPrograms = ReadonlyMap<string, ResolvedProgram | null>

export type Coverage = { readonly entry: AllowlistEntry } | { readonly missing: string }

/** Which entry lets a segment run, or why none does. */
export function coverSegment(
  segment: ShellSegment,
  resolved: ResolvedProgram | null | undefined,
  entries: readonly AllowlistEntry[],
): Coverage {
  const [name, args] = programOf(segment)
  if (!resolved) return { missing: `"${shown(name)}" was not found as a program` }
  const certain = segment.words.every((word) => !word.pattern)
  const risk = riskOf(segment, resolved)
  let closest: string | null = null
  for (const entry of entries) {
    if (!fitsProgram(entry, name, resolved)) continue
    const bound = entry.args !== undefined || entry.argPattern !== undefined
    if (bound && certain && fitsArguments(entry, args)) return { entry }
    if (!bound && risk === null) return { entry }
    closest = bound ? (certain ? 'its arguments are not allowed' : 'its arguments are filled in by the shell') : risk
  }
  return { missing: closest === null ? `"${shown(name)}" is not on the allow-list` : `"${shown(name)}": ${closest}` }
}

/**
 * What "always allow" keeps for a segment: the program with exactly these arguments. null when nothing may be kept: a
 * shell, or a program that is not on the PATH, because the agent could write something else in its place.
 */
export function entryFor(segment: ShellSegment, resolved: ResolvedProgram | null | undefined): AllowlistEntry | null {
  if (!resolved?.onPath || riskOf(segment, resolved) !== null) return null
  if (segment.words.some((word) => word.pattern)) return null
  const [, args] = programOf(segment)
  return { pattern: escapeGlob(resolved.path), args }
}

/** Why an entry covers nothing, or less than it seems to; null when it is fine. */
export function entryProblem(entry: AllowlistEntry): string | null {
  if (entry.pattern === '' || entry.pattern.length > 1000) return 'its pattern is empty or too long'
  if (entry.pattern.startsWith('~')) return '"~" is not expanded; write the whole path'
  if (!entry.pattern.includes('/') && /[*?[\]]/.test(entry.pattern)) return 'a bare name is taken as it is, without "*"'
  if (entry.argPattern !== undefined) {
    const compiled = compilePattern(entry.argPattern)
    return typeof compiled === 'string' ? `its argPattern cannot be used: ${compiled}` : null
  }
  if (entry.args !== undefined) return null
  const risk = runsOthers([], { name: entry.pattern, real: entry.pattern })
  return risk && `${risk}; without argPattern it covers nothing`
}

function riskOf(segment: ShellSegment, resolved: ResolvedProgram): string | null {
  const [name, args] = programOf(segment)
  const program = { name, real: resolved.real }
  const risk = runsOthers(args, program) ?? runsOthers(args, { name: resolved.path, real: resolved.real })
  if (risk !== null) return risk
  const uncertain = segment.words.some((word) => word.pattern) && dependsOnArguments(program)
  return uncertain ? 'its arguments are filled in by the shell' : null
}

function programOf(segment: ShellSegment): readonly [string, readonly string[]] {
  const [program, ...args] = segment.words
  return [program!.text, args.map((word) => word.text)]
}

function fitsProgram(entry: AllowlistEntry, name: string, resolved: ResolvedProgram): boolean {
  if (entry.pattern.length > 1000) return false
  if (!entry.pattern.includes('/')) return resolved.onPath && entry.pattern === name
  return fitsGlob(entry.pattern, resolved.path) || fitsGlob(entry.pattern, resolved.real)
}

function fitsArguments(entry: AllowlistEntry, args: readonly string[]): boolean {
  if (entry.args !== undefined) {
    if (entry.args.length !== args.length || !entry.args.every((word, at) => word === args[at])) return false
  }
  if (entry.argPattern === undefined) return true
  const compiled = compilePattern(entry.argPattern)
  return typeof compiled !== 'string' && compiled.test(args.join(' '))
}

/** `*` and `?` stay within one folder, `**` does not, `\` takes the next character as it is. */
function fitsGlob(glob: string, path: string): boolean {
  const pattern = glob.replace(/\\(.)|\*\*|\*|\?|[\^$.|+()[\]{}\\]/g, (found, escaped?: string) => {
    if (escaped !== undefined) return /[A-Za-z0-9]/.test(escaped) ? escaped : `\\${escaped}`
    if (found === '**') return '.*'
    if (found === '*') return '[^/]*'
    return found === '?' ? '[^/]' : `\\${found}`
  })
  const compiled = compilePattern(`^${pattern}$`)
  return typeof compiled !== 'string' && compiled.test(path)
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?]/g, '\\$&')
}

function shown(name: string): string {
  return name.slice(0, 100)
}
