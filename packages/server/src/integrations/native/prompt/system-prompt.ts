import { agentFile, factsOf, RITUAL_FILE } from '../bootstrap/bootstrap-file.ts'
import type { FittedFile } from '../bootstrap/fit-bootstrap-files.ts'
import type { RitualMode } from '../bootstrap/ritual.ts'
import {
  executionBias,
  ritualSection,
  SAFETY,
  SILENT_REPLIES,
  SKILLS_HEAD,
  TOOL_CALL_STYLE,
  workspaceFilesNotice,
} from './prompt-wording.ts'

/** `minimal` is for sub-agents: no user identity, model aliases, silent replies or heartbeats. `none`: who it is, and no more. */
export type PromptMode = 'full' | 'minimal' | 'none'

export interface SystemPromptInput {
  readonly mode: PromptMode
  readonly agentName: string
  /** In any order. */
  readonly tools: readonly { readonly name: string; readonly summary: string }[]
  /** What `renderSkillsSection` gave; '' = no skills. */
  readonly skills: string
  /** In any order. */
  readonly modelAliases: Readonly<Record<string, string>>
  /** Absolute. */
  readonly workspace: string
  /** Where the run works instead; null = in the workspace. */
  readonly folder: string | null
  /** Whom the agent works for, in a line; null = not known. */
  readonly userIdentity: string | null
  /** Such as `Europe/Zurich`. */
  readonly timeZone: string
  readonly ritual: RitualMode
  /** What `fitBootstrapFiles` gave. */
  readonly files: readonly FittedFile[]
  /** The heartbeat file changes often; it stands after the boundary. */
  readonly volatile: VolatileInput
}

/** What may differ from turn to turn. None of it moves a byte before the boundary. */
export interface VolatileInput {
  /** `YYYY-MM-DD`. Never a clock: it would make every prompt a new one. */
  readonly date: string
  readonly runtime: { readonly model: string; readonly session: string; readonly host: string }
  /** What `truncationNotice` gave. */
  readonly truncationNotice: readonly string[]
  /** About the room, the queue, the sub-agent's task: one thing a line. */
  readonly contextLines: readonly string[]
}

export interface SystemPrompt {
  readonly text: string
  /** Where the part that stays the same ends: `text.slice(0, cacheBoundary)`. */
  readonly cacheBoundary: number
  readonly report: { readonly sections: readonly { readonly title: string; readonly chars: number }[] }
}

interface Section {
  readonly title: string
  readonly text: string
}

/** The same input gives the same text; the order of lists and of keys does not matter. */
export function buildSystemPrompt(input: SystemPromptInput): SystemPrompt {
  const stable = input.mode === 'none' ? [identity(input)] : stableSections(input)
  const volatile = input.mode === 'none' ? [] : volatileSections(input)
  const [before, after] = [stable, volatile].map((sections) => sections.filter(({ text }) => text !== ''))
  const prefix = `${before!.map(({ text }) => text).join('\n\n')}\n`
  const rest = after!.map(({ text }) => `\n${text}\n`).join('')
  return {
    text: prefix + rest,
    cacheBoundary: prefix.length,
    report: { sections: [...before!, ...after!].map(({ title, text }) => ({ title, chars: text.length })) },
  }
}

function stableSections(input: SystemPromptInput): Section[] {
  const full = input.mode === 'full'
  return [
    identity(input),
    titled('Tooling', tooling(input)),
    titled('Tool Call Style', TOOL_CALL_STYLE),
    titled('Execution Bias', executionBias(input.tools.length > 0)),
    titled('Safety', SAFETY),
    titled('Skills', input.skills === '' ? '' : `${SKILLS_HEAD}\n\n${input.skills.trim()}`),
    titled('Model Aliases', full ? aliases(input.modelAliases) : ''),
    titled('Workspace', input.folder === null ? workspace(input.workspace) : otherWorkspace(input.workspace)),
    titled('User', full && input.userIdentity ? oneLine(input.userIdentity) : ''),
    titled(
      'Time',
      `Time zone: ${oneLine(input.timeZone)}. The date is given at the end; for the time of day, ask a tool.`,
    ),
    titled('Bootstrap Pending', ritualSection(input.ritual, RITUAL_FILE)),
    titled('Workspace Files (injected)', input.files.length > 0 ? workspaceFilesNotice() : ''),
    projectContext(input),
    titled('Silent Replies', full ? SILENT_REPLIES : ''),
  ]
}

function volatileSections(input: SystemPromptInput): Section[] {
  const { date, truncationNotice, contextLines } = input.volatile
  const heartbeat = input.mode === 'full' ? input.files.filter(({ name }) => isHeartbeat(name)) : []
  return [
    { title: 'Dynamic Project Context', text: renderFiles('# Dynamic Project Context', heartbeat) },
    titled('Bootstrap Context Notice', truncationNotice.join('\n')),
    titled('Context', contextLines.map(oneLine).join('\n')),
    titled('Date', `Today is ${oneLine(date)} (${oneLine(input.timeZone)}).`),
    titled('Runtime', runtimeLine(input)),
  ]
}

function identity({ agentName }: SystemPromptInput): Section {
  const name = oneLine(agentName) || 'Boo'
  return { title: 'Identity', text: `You are ${name}, an agent that works for a person through Clawboo.` }
}

function tooling({ tools }: SystemPromptInput): string {
  if (tools.length === 0) return 'You have no tools in this run.'
  const rows = sorted(tools, (tool) => tool.name).map(({ name, summary }) => `- ${name}: ${oneLine(summary)}`)
  return ['These are your tools. Their names are case-sensitive; use them exactly as written.', ...rows].join('\n')
}

function aliases(models: Readonly<Record<string, string>>): string {
  const rows = sorted(Object.entries(models), ([alias]) => alias)
  return rows.map(([alias, model]) => `- ${oneLine(alias)}: ${oneLine(model)}`).join('\n')
}

function workspace(path: string): string {
  return `Your working directory is ${oneLine(path)}\nRelative paths start there. Keep your files there unless you are told otherwise.`
}

/** Does not name the folder: every task has another, and each would make the whole prompt a new one. */
function otherWorkspace(path: string): string {
  return [
    `Your own workspace is ${oneLine(path)}`,
    'In this run you work in another folder, which is named under Runtime. Relative paths start there, and what your tools call the workspace is that folder.',
    'You can read your own workspace by whole paths. Leave it as it is.',
  ].join('\n')
}

function runtimeLine({ folder, volatile: { runtime } }: SystemPromptInput): string {
  const facts = [`model=${runtime.model}`, `session=${runtime.session}`, `host=${runtime.host}`]
  return [...facts, ...(folder === null ? [] : [`folder=${folder}`])].map(oneLine).join(' | ')
}

function projectContext({ files }: SystemPromptInput): Section {
  const shown = sorted(files, (file) => file.name)
    .filter(({ name }) => !isHeartbeat(name))
    .sort((one, other) => factsOf(one.name).contextOrder - factsOf(other.name).contextOrder)
  const has = (name: string) => shown.some((file) => file.name === name)
  const lines = [
    has('SOUL.md') ? 'SOUL.md is who you are: take on its character and its tone.' : '',
    has(agentFile('MEMORY')) ? `${agentFile('MEMORY')} is what you chose to remember; it may be out of date.` : '',
  ].filter((line) => line !== '')
  return { title: 'Project Context', text: renderFiles(['# Project Context', ...lines].join('\n\n'), shown) }
}

function renderFiles(head: string, files: readonly FittedFile[]): string {
  if (files.length === 0) return ''
  const parts = files.map(({ path, text }) => `## ${oneLine(path)}\n\n${text}`)
  return [head, ...parts].join('\n\n').replace(/\n{3,}/g, '\n\n')
}

function isHeartbeat(name: string): boolean {
  return name === agentFile('HEARTBEAT')
}

function titled(title: string, body: string): Section {
  return { title, text: body === '' ? '' : `## ${title}\n${body}` }
}

/** A name or a path with a line break in it must not begin a section of its own. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim()
}

/** By code unit: the order must not depend on the machine's language. */
function sorted<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0))
}
