import { compilePattern } from './linear-pattern.ts'
import { dependsOnArguments, runsOthers } from './runs-others.ts'
import type { ShellSegment } from './shell-segments.ts'

/** A program that an agent may run without an approval. */
export interface AllowlistEntry {
  /** A bare name on the PATH, or a glob for the whole path, in which `**` also matches slashes. */
  readonly pattern: string
  /** A regular expression for the arguments, joined by single spaces. */
  readonly argPattern?: string
  /** Exactly these arguments. */
  readonly args?: readonly string[]
  /** Comes from "always allow" and not from the operator's settings, so it covers less. */
  readonly kept?: true
}

/** Where the program of a segment was found. */
export interface ResolvedProgram {
  /** The path that was found. */
  readonly path: string
  /** The same path with all links resolved. */
  readonly real: string
  /** Found by its bare name, in a folder of the PATH outside the workspace. */
  readonly onPath: boolean
  /** The agent can change the program, or the target of its link. */
  readonly inWorkspace: boolean
}

/** By the word that names the program; null or absent when it was not found. */
export type ResolvedPrograms = ReadonlyMap<string, ResolvedProgram | null>

export type Coverage = { readonly entry: AllowlistEntry } | { readonly missing: string }

/** The entry that covers a segment, or the reason why none does. `leadingOut`: words that lead out of the workspace. */
export function coverSegment(
  segment: ShellSegment,
  resolved: ResolvedProgram | null | undefined,
  entries: readonly AllowlistEntry[],
  leadingOut: ReadonlySet<string>,
): Coverage {
  const [name, args] = programOf(segment)
  if (!resolved) return { missing: `the program "${shown(name)}" was not found` }
  const risk = riskOf(segment, resolved)
  let closest: string | null = null
  for (const entry of entries) {
    if (!fitsProgram(entry, name, resolved)) continue
    const bound = entry.args !== undefined || entry.argPattern !== undefined
    const limit =
      (entry.kept ? (risk ?? keptLimit(entry, args, resolved, leadingOut)) : null) ??
      (bound ? argumentsProblem(entry, segment, args) : risk)
    if (limit === null) return { entry }
    closest = limit
  }
  return { missing: closest === null ? `"${shown(name)}" is not on the allow-list` : `"${shown(name)}": ${closest}` }
}

/**
 * The entry that "always allow" stores: the program with exactly these arguments. null when nothing may be stored: for a
 * shell, for a program outside the PATH, which the agent could replace, and when the entry would not cover the segment.
 */
export function entryFor(
  segment: ShellSegment,
  resolved: ResolvedProgram | null | undefined,
  leadingOut: ReadonlySet<string>,
): AllowlistEntry | null {
  if (!resolved?.onPath) return null
  const entry = { pattern: escapeGlob(resolved.path), args: programOf(segment)[1], kept: true } as const
  return 'entry' in coverSegment(segment, resolved, [entry], leadingOut) ? entry : null
}

/** Why a stored entry does not cover a segment although the program fits; null when it may. */
function keptLimit(
  entry: AllowlistEntry,
  args: readonly string[],
  resolved: ResolvedProgram,
  leadingOut: ReadonlySet<string>,
): string | null {
  if (resolved.inWorkspace) return 'it is in the workspace, where the agent can change it'
  if (entry.args === undefined) return UNBOUND
  if (leadingOut.has('.')) return 'it would run outside the workspace'
  const away = args.find((word) => leadingOut.has(word))
  return away === undefined ? null : `"${shown(away)}" leads out of the workspace`
}

function argumentsProblem(entry: AllowlistEntry, segment: ShellSegment, args: readonly string[]): string | null {
  if (segment.words.some((word) => word.pattern)) return FILLED_IN
  return fitsArguments(entry, args) ? null : 'its arguments are not allowed'
}

const FILLED_IN = 'its arguments are filled in by the shell'
const UNBOUND = 'a stored approval must list the exact arguments'

/** Why an entry covers nothing, or less than it seems to; null when nothing is wrong. */
export function entryProblem(entry: AllowlistEntry): string | null {
  if (entry.pattern === '' || entry.pattern.length > 1000) return 'its pattern is empty or too long'
  if (entry.pattern.startsWith('~')) return '"~" is not expanded; write the full path'
  if (!entry.pattern.includes('/') && /[*?[\]]/.test(entry.pattern)) return '"*" has no meaning in a bare name'
  if (entry.kept && entry.args === undefined) return `${UNBOUND}; it covers nothing`
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
  return uncertain ? FILLED_IN : null
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

/** `*` and `?` do not match a slash, `**` does, and `\` quotes the next character. */
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
