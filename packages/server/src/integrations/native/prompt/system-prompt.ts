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

export interface SystemPromptInput {
  readonly agentName: string
  /** In any order. */
  readonly tools: readonly { readonly name: string; readonly summary: string }[]
  /** The result of `renderSkillsSection`; '' = no skills. */
  readonly skills: string
  /** Absolute. */
  readonly workspace: string
  /** The folder that the run works in instead of the workspace; null = the workspace. */
  readonly folder: string | null
  /** For example `Europe/Zurich`. */
  readonly timeZone: string
  readonly ritual: RitualMode
  /** The result of `fitBootstrapFiles`. */
  readonly files: readonly FittedFile[]
  readonly volatile: VolatileInput
}

/** The parts that can differ from run to run. They never change a byte before the cache boundary. */
export interface VolatileInput {
  /** `YYYY-MM-DD`. No time of day: it would make every prompt different. */
  readonly date: string
  readonly runtime: { readonly model: string; readonly session: string; readonly host: string }
  /** The result of `truncationNotice`. */
  readonly truncationNotice: readonly string[]
}

export interface SystemPrompt {
  readonly text: string
  /** The end of the part that stays the same from run to run: `text.slice(0, cacheBoundary)`. */
  readonly cacheBoundary: number
  readonly report: { readonly sections: readonly { readonly title: string; readonly chars: number }[] }
}

interface Section {
  readonly title: string
  readonly text: string
}

/** Pure: the same input gives the same text. The order of tools and files in the input does not matter. */
export function buildSystemPrompt(input: SystemPromptInput): SystemPrompt {
  const stable = stableSections(input).filter(({ text }) => text !== '')
  const volatile = volatileSections(input).filter(({ text }) => text !== '')
  const prefix = `${stable.map(({ text }) => text).join('\n\n')}\n`
  const rest = volatile.map(({ text }) => `\n${text}\n`).join('')
  return {
    text: prefix + rest,
    cacheBoundary: prefix.length,
    report: { sections: [...stable, ...volatile].map(({ title, text }) => ({ title, chars: text.length })) },
  }
}

function stableSections(input: SystemPromptInput): Section[] {
  return [
    identity(input),
    titled('Tooling', tooling(input)),
    titled('Tool Call Style', TOOL_CALL_STYLE),
    titled('Execution Bias', executionBias(input.tools.length > 0)),
    titled('Safety', SAFETY),
    titled('Skills', input.skills === '' ? '' : `${SKILLS_HEAD}\n\n${input.skills.trim()}`),
    titled('Workspace', input.folder === null ? ownWorkspace(input.workspace) : otherFolder(input.workspace)),
    titled(
      'Time',
      `Time zone: ${oneLine(input.timeZone)}. The date is at the end of this prompt; use a tool to get the time of day.`,
    ),
    titled('Bootstrap Pending', ritualSection(input.ritual, RITUAL_FILE)),
    titled('Workspace Files (injected)', input.files.length > 0 ? workspaceFilesNotice() : ''),
    projectContext(input),
    titled('Silent Replies', SILENT_REPLIES),
  ]
}

function volatileSections(input: SystemPromptInput): Section[] {
  const { date, truncationNotice } = input.volatile
  return [
    titled('Bootstrap Context Notice', truncationNotice.join('\n')),
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

function ownWorkspace(path: string): string {
  return `Your working directory is ${oneLine(path)}\nRelative paths are resolved there. Keep your files there unless you are told otherwise.`
}

/** Does not name the folder, which differs from task to task: the cached part of the prompt would differ too. */
function otherFolder(path: string): string {
  return [
    `Your own workspace is ${oneLine(path)}`,
    'In this run you work in another folder, named under Runtime. Relative paths are resolved there, and your tools treat that folder as the workspace.',
    'You can read your own workspace with absolute paths. Do not change it.',
  ].join('\n')
}

function runtimeLine({ folder, volatile: { runtime } }: SystemPromptInput): string {
  const facts = [`model=${runtime.model}`, `session=${runtime.session}`, `host=${runtime.host}`]
  return [...facts, ...(folder === null ? [] : [`folder=${folder}`])].map(oneLine).join(' | ')
}

function projectContext({ files }: SystemPromptInput): Section {
  const shown = sorted(files, (file) => file.name).sort(
    (one, other) => factsOf(one.name).contextOrder - factsOf(other.name).contextOrder,
  )
  const has = (name: string) => shown.some((file) => file.name === name)
  const lines = [
    has('SOUL.md') ? 'SOUL.md describes who you are: adopt its character and tone.' : '',
    has(agentFile('MEMORY'))
      ? `${agentFile('MEMORY')} contains what you chose to remember; it may be out of date.`
      : '',
  ].filter((line) => line !== '')
  return { title: 'Project Context', text: renderFiles(['# Project Context', ...lines].join('\n\n'), shown) }
}

function renderFiles(head: string, files: readonly FittedFile[]): string {
  if (files.length === 0) return ''
  const sections = files.map(({ path, text }) => `## ${oneLine(path)}\n\n${text}`)
  return [head, ...sections].join('\n\n').replace(/\n{3,}/g, '\n\n')
}

function titled(title: string, body: string): Section {
  return { title, text: body === '' ? '' : `## ${title}\n${body}` }
}

/** A line break in a name or a path must not start a new section. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').trim()
}

/** Sorts by code unit: the order must not depend on the machine's language. */
function sorted<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0))
}
