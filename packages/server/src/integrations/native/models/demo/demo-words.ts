import type { DoneCall } from './demo-run.ts'
import { type SeenTask, seenTask } from './handed-tasks.ts'
import type { Words } from './new-words.ts'
import type { RoomMember } from './read-room-prompt.ts'

export const SCRIPTED_NOTE = 'I am scripted, not an AI. Tasks, files and evidence are real.'

/** Somebody's words in a sentence. */
export function quoted(words: string, length = 160): string {
  const line = oneLine(words, length).replace(/[“”]/g, "'")
  return line === '' ? 'A message without words' : `“${line}”`
}

/** One line, without characters that nobody sees. */
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

/** A reason as a part of a sentence that goes on. */
export function reasonWords(reason: string): string {
  return oneLine(reason, 300).replace(/[.!]+$/, '')
}

const WORDS_CHARACTERS = 2000

/** The text of a task that hands a person's words on. */
export function taskBody(from: string, words: string): string {
  const lines = words.slice(0, WORDS_CHARACTERS).toWellFormed().split('\n')
  return [
    `${from} said in the room:`,
    lines.map((line) => `> ${line}`.trimEnd()).join('\n'),
    'Write a first draft of it into one file. It is done when the file is there and was read back.',
  ].join('\n\n')
}

/** The words that a task was made for: what it quotes, else the task itself. */
export function wordsOfTask({ title, body }: Pick<SeenTask, 'title' | 'body'>): string {
  const lines = body.split('\n').filter((line) => /^>( |$)/.test(line))
  return lines.length > 0 ? lines.map((line) => line.slice(2)).join('\n') : `${title}\n${body}`.trim()
}

/** The post that hands pieces over; empty when there are none. */
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
  return lines.length === 0 ? '' : [...lines, 'I sum up when it has ended.'].join('\n')
}

/** What came of tasks that have ended; empty when there are none. */
export function summaryWords(ended: readonly SeenTask[]): string {
  if (ended.length === 0) return ''
  const lines = ended.map((task) => `- ${quoted(wordsOfTask(task))}: ${outcomeWords(task)}`)
  const isWaiting = ended.some(({ status }) => status === 'in_review')
  const next = isWaiting ? ['Open the task on the board to look at it, to ask for changes or to take it over.'] : []
  return ['Summary of what you asked for:', lines.join('\n'), ...next].join('\n\n')
}

function outcomeWords(task: SeenTask): string {
  const why = task.reason === null ? '' : `: ${reasonWords(task.reason)}`
  if (task.status === 'blocked') return `its task cannot go on${why}.`
  if (task.status === 'cancelled') return `its task was cancelled${why}.`
  return `its task is ${task.status === 'done' ? 'done' : 'in review'}. ${evidenceWords(task.evidence)}`
}

function evidenceWords(evidence: SeenTask['evidence']): string {
  const seen = [...new Set(evidence.map(evidenceName))]
  if (seen.length > 0) return `Evidence that the server saw: ${seen.join('; ')}.`
  return 'The server saw no evidence: the team has no project folder to compare with, so it takes your word for it.'
}

function evidenceName({ kind, shows }: SeenTask['evidence'][number]): string {
  if (kind === 'diff') return 'the changed files'
  const [, command, end] = (kind === 'check' && /^(.*) ended with (.*)$/s.exec(shows)) || []
  if (command === undefined) return oneLine(shows, 120)
  return `the check \`${oneLine(command, 120)}\`, which ${end === '0' ? 'passed' : `ended with ${end}`}`
}
