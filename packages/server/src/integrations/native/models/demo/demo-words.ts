import type { DoneCall } from './demo-run.ts'
import { type SeenTask, seenTask } from './handed-tasks.ts'
import type { Words } from './new-words.ts'
import type { RoomMember } from './read-room-prompt.ts'

export const SCRIPTED_NOTE = 'I am scripted, not an AI. Tasks, files and evidence are real.'

/** Quotes a text within a sentence. */
export function quoted(words: string, length = 160): string {
  const line = oneLine(words, length).replace(/[“”]/g, "'")
  return line === '' ? 'A message without words' : `“${line}”`
}

/** One line without invisible characters. */
export function oneLine(words: string, length: number): string {
  const line = words
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= length
    ? line
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
}

/** A reason without its final punctuation, for use within a sentence. */
export function reasonWords(reason: string): string {
  return oneLine(reason, 300).replace(/[.!]+$/, '')
}

const WORDS_CHARACTERS = 2000

/** The text of a task that passes on a person's message. */
export function taskBody(from: string, words: string): string {
  const lines = words.slice(0, WORDS_CHARACTERS).toWellFormed().split('\n')
  return [
    `${from} said in the room:`,
    lines.map((line) => `> ${line}`.trimEnd()).join('\n'),
    'Write a first draft into one file. The task is done when the file exists and has been read back.',
  ].join('\n\n')
}

/** The message that a task was created for: its quoted text, or else the task itself. */
export function wordsOfTask({ title, body }: Pick<SeenTask, 'title' | 'body'>): string {
  const lines = body.split('\n').filter((line) => /^>( |$)/.test(line))
  return lines.length > 0 ? lines.map((line) => line.slice(2)).join('\n') : `${title}\n${body}`.trim()
}

/** The post that announces the new tasks to their assignees; '' = none. */
export function handoffWords(
  pieces: readonly (Words & { readonly mate: RoomMember })[],
  made: readonly DoneCall[],
): string {
  const lines = made.flatMap((call, at) => {
    const piece = pieces[at]
    if (!piece) return []
    const { text, mate } = piece
    const task = seenTask(call)
    if (!task) return [`${quoted(text)}: I could not put it on the board. ${oneLine(call.result, 200)}`]
    return [`${quoted(text)}: ${mate.name}, please write a first draft. It is on the board as your task.`]
  })
  return lines.length === 0 ? '' : [...lines, 'I will post a summary when the work ends.'].join('\n')
}

/** A summary of the tasks that have ended; '' = none. */
export function summaryWords(ended: readonly SeenTask[]): string {
  if (ended.length === 0) return ''
  const lines = ended.map((task) => `- ${quoted(wordsOfTask(task))}: ${outcomeWords(task)}`)
  const isWaiting = ended.some(({ status }) => status === 'in_review')
  const next = isWaiting ? ['Open the task on the board to review it, request changes or merge it.'] : []
  return ['Summary of what you asked for:', lines.join('\n'), ...next].join('\n\n')
}

function outcomeWords(task: SeenTask): string {
  const why = task.reason === null ? '' : `: ${reasonWords(task.reason)}`
  if (task.status === 'blocked') return `its task is blocked${why}.`
  if (task.status === 'cancelled') return `its task was cancelled${why}.`
  return `its task is ${task.status === 'done' ? 'done' : 'in review'}. ${evidenceWords(task.evidence)}`
}

function evidenceWords(evidence: SeenTask['evidence']): string {
  const seen = [...new Set(evidence.map(evidenceName))]
  if (seen.length > 0) return `Evidence recorded by the server: ${seen.join('; ')}.`
  return 'The server recorded no evidence: the team has no project folder to compare with, so you decide whether it is done.'
}

function evidenceName({ kind, shows }: SeenTask['evidence'][number]): string {
  if (kind === 'diff') return 'the changed files'
  const [, command, end] = (kind === 'check' && /^(.*) ended with (.*)$/s.exec(shows)) || []
  if (command === undefined) return oneLine(shows, 120)
  return `the check \`${oneLine(command, 120)}\`, which ${end === '0' ? 'passed' : `ended with ${end}`}`
}
