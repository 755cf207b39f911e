import type { ToolCallContent } from '../session/message.ts'
import type { ToolResult } from '../tools/tool.ts'

/** What to show of tool calls: only failures, every call, or every call with its result. */
export type VerboseLevel = 'off' | 'on' | 'full'

export interface SummaryView {
  readonly level: VerboseLevel
  /** The person's home folder, shown as `~`; null = paths are not shortened. */
  readonly home: string | null
}

type Call = Pick<ToolCallContent, 'name' | 'arguments'>

const DETAIL_CHARACTERS = 200
const RESULT_CHARACTERS = 1_000

/** The line to show when a tool starts; null = none. */
export function toolStartSummary(call: Call, view: SummaryView): string | null {
  return view.level === 'off' ? null : headline(call, view)
}

/** The text to show when a tool ends; null = none. Failures are always shown, with details only from level `on`. */
export function toolEndSummary(call: Call, result: ToolResult, view: SummaryView): string | null {
  if (view.level === 'full') {
    const head = result.isError ? `⚠️ ${labelOf(call.name)} failed` : headline(call, view)
    return `${head}\n${quoted(textOf(result))}`
  }
  if (!result.isError) return null
  const failed = `⚠️ ${labelOf(call.name)} failed`
  if (view.level === 'off') return failed
  const [why = ''] = textOf(result).trim().split('\n')
  return why.trim() === '' ? failed : `${failed}: ${oneLine(why)}`
}

function headline(call: Call, view: SummaryView): string {
  const emoji = Object.hasOwn(EMOJI, call.name) ? EMOJI[call.name]! : '🧩'
  const command = call.name === 'exec' ? call.arguments.command : undefined
  if (typeof command === 'string' && command.trim() !== '') return `${emoji} ${oneLine(command)}`
  const details = detailsOf(call, view).filter((detail) => detail !== '')
  const label = `${emoji} ${labelOf(call.name)}`
  return details.length === 0 ? label : `${label}: ${oneLine(details.join('; '))}`
}

const EMOJI: Readonly<Record<string, string>> = {
  read: '📖',
  write: '✍️',
  edit: '📝',
  apply_patch: '🩹',
  exec: '🛠️',
  process: '🧰',
}

function detailsOf({ name, arguments: input }: Call, { home }: SummaryView): string[] {
  const path = typeof input.path === 'string' ? groupPaths([input.path], home) : ''
  switch (name) {
    case 'read':
      return [path, linesRead(input.offset, input.limit)]
    case 'write':
      return [path, typeof input.content === 'string' ? counted(input.content.length, 'character') : '']
    case 'edit':
      return [path, Array.isArray(input.edits) && input.edits.length > 1 ? counted(input.edits.length, 'edit') : '']
    case 'apply_patch':
      return [groupPaths(patchedPaths(input.input), home)]
    case 'process':
      return [wordOf(input.action), wordOf(input.sessionId)]
    default:
      return otherDetails(input, home)
  }
}

/** For unknown tools: the files in the arguments, then the first few plain values. Leaves out secrets. */
function otherDetails(input: Call['arguments'], home: string | null): string[] {
  const isPath = (key: string) => /^(path|file|file_?path)s?$/i.test(key)
  const named = Object.entries(input)
    .filter(([key]) => isPath(key))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === 'string')
  const values = Object.entries(input)
    .filter(([key]) => !isPath(key) && !/token|secret|passw|credential|auth|(^|_)key$|apikey/i.test(key))
    .map(([key, value]) => [key, wordOf(value)] as const)
    .filter(([, word]) => word !== '')
    .slice(0, 3)
    .map(([key, word]) => `${key} ${word}`)
  return [groupPaths(named, home), ...values]
}

function linesRead(offset: unknown, limit: unknown): string {
  const from = typeof offset === 'number' ? offset : 1
  if (typeof limit === 'number') return `lines ${from}-${from + limit - 1}`
  return typeof offset === 'number' ? `from line ${from}` : ''
}

function patchedPaths(patch: unknown): string[] {
  if (typeof patch !== 'string') return []
  return [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map((match) => match[1]!.trim())
}

function labelOf(name: string): string {
  const words = name.split(/[_\s-]+/).filter((word) => word !== '')
  return oneLine(words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ')) || 'Tool'
}

function textOf(result: ToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n')
}

/** Wraps the text in a fence longer than any in it, so that nothing in the text can close the fence. */
function quoted(text: string): string {
  const kept = text
    .trim()
    .slice(0, RESULT_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '')
  if (kept === '') return '(no output)'
  const rest = text.trim().length - kept.length
  const longest = Math.max(2, ...[...kept.matchAll(/`+/g)].map((match) => match[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${kept}\n${fence}${rest > 0 ? `\n… ${counted(rest, 'more character')}` : ''}`
}

function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

/** Shows a line break as a symbol, so that two commands do not look like one, and removes invisible characters. */
function oneLine(text: string): string {
  const line = text
    .trim()
    // The next patterns take quadratic time on a long run of blanks.
    .slice(0, 5 * DETAIL_CHARACTERS)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replace(/[\p{Cc}\p{Bidi_Control}\u200B\uFEFF]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
  if (line.length <= DETAIL_CHARACTERS) return line
  return `${line.slice(0, DETAIL_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Shortens a list of paths for a person: `~` for the home, files grouped by folder: `~/app/{a.ts, b.ts}; /etc/hosts`. */
export function groupPaths(paths: readonly string[], home: string | null): string {
  const folders = new Map<string, Set<string>>()
  for (const path of paths) {
    const short = shortenHome(path, home)
    const end = Math.max(short.lastIndexOf('/'), short.lastIndexOf('\\')) + 1
    const folder = short.slice(0, end)
    const names = folders.get(folder) ?? new Set()
    folders.set(folder, names.add(short.slice(end)))
  }
  return [...folders].flatMap(([folder, names]) => namesIn(folder, [...names])).join('; ')
}

function namesIn(folder: string, names: readonly string[]): readonly string[] {
  if (folder === '') return names
  return [names.length === 1 ? `${folder}${names[0]}` : `${folder}{${names.join(', ')}}`]
}

function shortenHome(path: string, home: string | null): string {
  const base = home?.replace(/[/\\]+$/, '') ?? ''
  if (base === '' || !path.startsWith(base)) return path
  const rest = path.slice(base.length)
  return rest === '' || /^[/\\]/.test(rest) ? `~${rest}` : path
}
