import { readFences } from './read-fences.ts'

/** A turn in a room, parsed from the host's prompt. */
export interface RoomTurn {
  readonly turn: number
  readonly because: readonly RoomReason[]
  readonly me: RoomMember | null
  /** The other Boos of the team, by name. */
  readonly teammates: readonly RoomMember[]
  /** The messages of people in this exchange, oldest first. */
  readonly messages: readonly { readonly from: string; readonly text: string }[]
}

export interface RoomMember {
  readonly id: string
  readonly name: string
  readonly isLeader: boolean
}

export type RoomReason = 'asked' | 'assigned' | 'report' | 'nominated'

const HEAD = /^It is your turn in the room of your team “.*”: turn (\d+) of at most \d+ in this exchange\.\n/
const MEMBER = /^- (.*) \(([^()\s]+)\)((?:, (?:a person|leads|that is you))*)$/
const REASONS: readonly (readonly [words: string, reason: RoomReason])[] = [
  ['a person mentioned you', 'asked'],
  ['a person sent a message', 'asked'],
  ['a teammate asked you', 'assigned'],
  ['a task was assigned to you', 'assigned'],
  ['the work on a task has ended', 'report'],
  ['a task is blocked', 'report'],
  ['you lead, and nobody else', 'nominated'],
]

export function isRoomPrompt(text: string): boolean {
  return HEAD.test(text)
}

/** The host's own lines come before all quoted messages, so the first match is always the host's. */
export function readRoomPrompt(prompt: string): RoomTurn {
  const lines = prompt.split('\n')
  const why = lines.find((line) => line.startsWith('Why it is your turn: ')) ?? ''
  const start = lines.indexOf('Who is in the team:') + 1
  const end = lines.indexOf('', start)
  const members = lines.slice(start, end < 0 ? undefined : end).flatMap((line) => {
    const [, name, id, marks = ''] = MEMBER.exec(line) ?? []
    if (name === undefined || id === undefined) return []
    const has = (mark: string) => marks.includes(`, ${mark}`)
    return [{ id, name, isLeader: has('leads'), isPerson: has('a person'), isMe: has('that is you') }]
  })
  return {
    turn: Number(HEAD.exec(prompt)?.[1] ?? 1),
    because: REASONS.filter(([words]) => why.includes(words)).map(([, reason]) => reason),
    me: members.find(({ isMe }) => isMe) ?? null,
    teammates: members.filter(({ isMe, isPerson }) => !isMe && !isPerson).toSorted(byName),
    messages: readFences(prompt)
      .fences.filter(({ label }) => label.endsWith(' says'))
      .map(({ label, text }) => ({ from: label.slice(0, -' says'.length), text })),
  }
}

/** The message that a person sent during a turn, without the host's text around it. */
export function readAddedWords(text: string): string {
  return readFences(text).fences[0]?.text ?? text
}

function byName(one: RoomMember, other: RoomMember): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0
}
