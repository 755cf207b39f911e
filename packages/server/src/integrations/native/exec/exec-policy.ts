import { type AllowlistEntry, coverSegment, entryFor, entryProblem, type ResolvedPrograms } from './allowlist.ts'
import { unknownEffect } from './command-environment.ts'
import { isSafeBinCall, SAFE_BINS } from './safe-bins.ts'
import {
  canonicalCommand,
  hiddenCharacter,
  type ParsedCommand,
  parseCommand,
  type ShellSegment,
} from './shell-segments.ts'

export type ExecSecurity = 'deny' | 'allowlist' | 'full'
export type ExecAsk = 'off' | 'unconfined' | 'on-miss' | 'always'

/** The policy of a new agent without settings. */
export const DEFAULT_EXEC: { readonly security: ExecSecurity; readonly ask: ExecAsk } = {
  security: 'allowlist',
  ask: 'unconfined',
}

/** An agent's own settings about commands. */
export interface ExecRules {
  readonly security?: ExecSecurity
  readonly ask?: ExecAsk
  readonly allowlist?: readonly AllowlistEntry[]
}

/** The policy in force, with the origin of each part, as data for a page. */
export interface ExecPolicy {
  readonly security: ExecSecurity
  readonly ask: ExecAsk
  readonly allowlist: readonly AllowlistEntry[]
  /** Sentences with an effect and its origin. */
  readonly because: readonly string[]
  readonly warnings: readonly string[]
}

/** Adds the commands that a person always allows to the agent's settings, and the defaults. */
export function effectiveExecPolicy(rules: ExecRules, approved: readonly AllowlistEntry[]): ExecPolicy {
  const { security = DEFAULT_EXEC.security, ask = DEFAULT_EXEC.ask } = rules
  const entries = [
    ...(rules.allowlist ?? []).map((entry) => ({ entry, from: "this agent's set-up" })),
    ...approved.map((entry) => ({ entry, from: "a person's answer" })),
  ]
  const origin = (set: unknown) => (set === undefined ? 'the default' : "this agent's set-up")
  return {
    security,
    ask,
    allowlist: entries.map(({ entry }) => entry),
    because:
      ask === 'unconfined' && security === 'allowlist'
        ? confinedWords(origin(rules.ask))
        : [
            `${SECURITY_WORDS[security]} (${origin(rules.security)}).`,
            `${askWords(security, ask)} (${origin(rules.ask)}).`,
            ...(security === 'allowlist' ? [listWords(entries)] : []),
          ],
    warnings: entries.flatMap(({ from, entry }) => {
      const problem = entryProblem(entry)
      return problem === null ? [] : [`${from} allows "${entry.pattern}": ${problem}`]
    }),
  }
}

function confinedWords(origin: string): string[] {
  return [
    `A command that this computer confines to the Boo's own folders runs without an approval (${origin}).`,
    'Where it cannot confine programs, every command needs an approval.',
  ]
}

const SECURITY_WORDS: Readonly<Record<ExecSecurity, string>> = {
  deny: 'No command runs',
  allowlist: 'A command runs only if every part of it is on the allow-list',
  full: 'Every command may run',
}

function askWords(security: ExecSecurity, ask: ExecAsk): string {
  if (security === 'deny') return 'No command needs an approval, because none runs'
  if (ask === 'always') return 'Every command needs an approval'
  if (security === 'full') return 'No command needs an approval'
  if (ask === 'unconfined')
    return 'A command runs without an approval where this machine confines it to its own folders'
  return ask === 'off' ? 'Every other command is refused without asking' : 'Every other command needs an approval'
}

function listWords(entries: readonly { readonly from: string; readonly entry: AllowlistEntry }[]): string {
  const listed = entries.map(({ from, entry }) => `; ${describeEntry(entry)} (${from})`)
  return `Allowed: the filters ${SAFE_BINS.join(', ')} on their input alone${listed.join('')}.`
}

function describeEntry(entry: AllowlistEntry): string {
  const limits = [
    ...(entry.args === undefined ? [] : [`with exactly: ${entry.args.join(' ') || 'no arguments'}`]),
    ...(entry.argPattern === undefined ? [] : [`with arguments that fit ${entry.argPattern}`]),
  ]
  if (limits.length > 0 || entryProblem(entry) !== null) return [entry.pattern, ...limits].join(' ')
  return `${entry.pattern} with any arguments, and so on any file of the machine`
}

export interface ExecQuestion {
  readonly command: string
  readonly security: ExecSecurity
  readonly ask: ExecAsk
  readonly allowlist: readonly AllowlistEntry[]
  readonly resolvedPaths: ResolvedPrograms
  /** The words that lead out of the workspace; `.` is the folder of the command. */
  readonly leadingOut: ReadonlySet<string>
  /** The variables that the agent sets for the command. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether the machine confines the command to its folders, without a network. */
  readonly isConfined: boolean
}

export type ExecDecision =
  | { readonly kind: 'run'; readonly command: string; readonly reason: string }
  | {
      readonly kind: 'ask'
      readonly reason: string
      readonly mayAlwaysAllow: boolean
      /** The entries that "always allow" stores. */
      readonly entries: readonly AllowlistEntry[]
    }
  | { readonly kind: 'refuse'; readonly reason: string }

/** The longest argument of a program on Linux, without its final NUL. */
const COMMAND_MAX_BYTES = 131_071

/** With this command an agent could give itself an approval. */
const OWN_COMMANDS = ['clawboo']

/** Decides whether a command runs. The caller then runs exactly the returned `command`. */
export function decideExec(question: ExecQuestion): ExecDecision {
  const { command, security, ask } = question
  if (security === 'deny') return refuse('commands are switched off for this agent')
  if (command.trim() === '') return refuse('the command is empty')
  if (command.includes('\0')) return refuse('the command contains a NUL')
  if (!command.isWellFormed()) return refuse('the command is not text')
  if (Buffer.byteLength(command) > COMMAND_MAX_BYTES)
    return refuse(`the command has more than ${COMMAND_MAX_BYTES} bytes`)
  const parsed = parseCommand(command)
  if (parsed.understood && parsed.segments.some(isOwnCommand))
    return refuse('an agent may not run Clawboo’s own command')
  if (!question.isConfined) return unconfined(question, parsed)
  if (security === 'full') {
    if (ask !== 'always') return { kind: 'run', command, reason: 'every command may run' }
    return asked(question, `every command needs an approval${remark(command)}`, [])
  }
  if (ask === 'unconfined') return { kind: 'run', command, reason: 'it reaches only its own folders' }
  return byAllowlist(question, parsed)
}

/** On a machine that cannot confine programs, nothing runs without a person's approval, and no approval is stored. */
function unconfined(question: ExecQuestion, parsed: ParsedCommand): ExecDecision {
  const { command, security, ask } = question
  const byList = security === 'full' ? null : byAllowlist({ ...question, ask: ask === 'off' ? ask : 'on-miss' }, parsed)
  if (byList?.kind === 'refuse') return byList
  return asked(question, `this machine cannot confine programs${remark(command)}`, [])
}

function byAllowlist(question: ExecQuestion, parsed: ParsedCommand): ExecDecision {
  const { ask } = question
  if (!parsed.understood) return missed(question, `it cannot be checked: ${parsed.reason}`, [])
  const unknown = unknownEffect(question.env ?? {})
  const misses = parsed.segments.flatMap((segment) => missOf(segment, question))
  const reasons = [
    ...misses.map(({ reason }) => reason),
    ...(unknown.length > 0 ? [`it sets the variable ${unknown.join(', ')}`] : []),
  ]
  const entries = misses.map(({ entry }) => entry)
  const storable = unknown.length === 0 && entries.every((entry) => entry !== null) ? entries : []
  if (reasons.length > 0) return missed(question, [...new Set(reasons)].join('; '), storable)
  if (ask === 'always') return asked(question, 'every command needs an approval', [])
  const pathOf = (program: string) => question.resolvedPaths.get(program)!.path
  return { kind: 'run', command: canonicalCommand(parsed, pathOf), reason: 'every part of it is allowed' }
}

/** A model can only make the policy stricter. */
export function tightenAsk(ask: ExecAsk, wanted: unknown): ExecAsk {
  const order: readonly unknown[] = ['off', 'unconfined', 'on-miss', 'always']
  return order.indexOf(wanted) > order.indexOf(ask) ? (wanted as ExecAsk) : ask
}

/** The programs in a command. The caller finds their paths for `decideExec`. */
export function programsOf(command: string): readonly string[] {
  const parsed = parseCommand(command)
  return parsed.understood ? [...new Set(parsed.segments.map((segment) => segment.words[0]!.text))] : []
}

function missOf(
  segment: ShellSegment,
  question: ExecQuestion,
): readonly { readonly reason: string; readonly entry: AllowlistEntry | null }[] {
  const [program, ...rest] = segment.words
  const resolved = question.resolvedPaths.get(program!.text)
  const plain = rest.every((word) => !word.pattern)
  const args = rest.map((word) => word.text)
  if (resolved?.onPath && plain && isSafeBinCall(program!.text, args, resolved.path)) return []
  const { allowlist, leadingOut } = question
  const coverage = coverSegment(segment, resolved, allowlist, leadingOut)
  return 'entry' in coverage ? [] : [{ reason: coverage.missing, entry: entryFor(segment, resolved, leadingOut) }]
}

function missed(question: ExecQuestion, reason: string, entries: readonly (AllowlistEntry | null)[]): ExecDecision {
  if (question.ask === 'off') return refuse(`${reason}, and approvals are switched off`)
  return asked(
    question,
    reason,
    entries.filter((entry) => entry !== null),
  )
}

function asked(question: ExecQuestion, reason: string, entries: readonly AllowlistEntry[]): ExecDecision {
  // Under "always" a stored entry has no effect, and the person would expect one.
  const storable = question.ask === 'always' ? [] : entries
  return { kind: 'ask', reason, mayAlwaysAllow: storable.length > 0, entries: storable }
}

function remark(command: string): string {
  const hidden = hiddenCharacter(command)
  return hidden === null ? '' : `; note: ${hidden}`
}

function isOwnCommand(segment: ShellSegment): boolean {
  const name = segment.words[0]!.text
  return OWN_COMMANDS.includes(name.slice(name.lastIndexOf('/') + 1).toLowerCase())
}

function refuse(reason: string): ExecDecision {
  return { kind: 'refuse', reason }
}
