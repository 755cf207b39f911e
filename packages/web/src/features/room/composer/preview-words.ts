import type { RoomPreview } from '../../../api/room/room-actions.ts'
import { modeOf, ROOM_MODES, type RoomMode } from '../../../shared/composer/send-modes.ts'
import { costWords } from '../../../shared/run/run-words.ts'
import { counted } from '../../../ui/words/time-words.ts'
import { WAKE_WORDS } from '../exchange/exchange-words.ts'

/** A Boo that would reply, or that the person left out. */
export interface PreviewedBoo {
  readonly agentId: string
  readonly why: string
  readonly isSkipped: boolean
}

/** The Boos that would reply, each once with all its reasons, then those left out by the person. */
export function previewedBoos({ wakes }: RoomPreview, skip: readonly string[]): readonly PreviewedBoo[] {
  const reasons = new Map<string, Set<string>>()
  for (const { agentId, because } of wakes) {
    const known = reasons.get(agentId) ?? new Set()
    reasons.set(agentId, known.add(WAKE_WORDS[because]))
  }
  const running = [...reasons].filter(([agentId]) => !skip.includes(agentId))
  return [
    ...running.map(([agentId, why]) => ({ agentId, why: [...why].join(', '), isSkipped: false })),
    ...skip.map((agentId) => ({ agentId, why: 'left out', isSkipped: true })),
  ]
}

/** "at most 4 turns · about $0.06, up to $0.24". */
export function boundWords({ turnsAtMost, estimatedUsd, mostUsd }: RoomPreview): string {
  return `up to ${counted(turnsAtMost, 'turn')} · ${priceWords(estimatedUsd, mostUsd)}`
}

function priceWords(estimated: number | null, most: number | null): string {
  if (estimated === null) return 'cost unknown'
  if (estimated === 0 && (most ?? 0) === 0) return 'no cost'
  const about = `about ${costWords(estimated)}`
  return most !== null && most > estimated ? `${about}, up to ${costWords(most)}` : about
}

/** Why no Boo would reply, and what to do. */
export function nobodyWords(members: { readonly boos: readonly unknown[]; readonly leaderId: string | null }): string {
  if (members.boos.length === 0) return 'No Boo will reply. This team has no Boos.'
  return members.leaderId === null
    ? 'No Boo will reply. This team has no leader. Mention a Boo with @.'
    : 'No Boo will reply.'
}

type DropReason = RoomPreview['dropped'][number]['reason']

const DROP_WORDS: Readonly<Record<DropReason, string>> = {
  nobody_leads: 'this team has no leader',
  own_post: 'a Boo does not wake itself',
  own_task: 'a Boo does not wake itself',
  not_a_member: 'it is not a member of this team',
  skipped: 'it is left out of the current exchange',
  aborted: 'the current exchange is stopping',
  chain_stopped: 'this request was stopped',
  repeat: 'this request was repeating itself',
  hop_limit: 'Boos have passed this request on too often',
  already_owed: 'it already has to reply',
}

/** Returns a sentence for each mentioned Boo that will not reply, except those the person left out. */
export function droppedWords(
  dropped: RoomPreview['dropped'],
  skip: readonly string[],
  nameOf: (agentId: string) => string,
): readonly string[] {
  const shown = dropped.filter(({ agentId }) => agentId === null || !skip.includes(agentId))
  const sentences = shown.map(({ agentId, reason }) =>
    agentId === null
      ? `No Boo will reply: ${DROP_WORDS[reason]}.`
      : `${nameOf(agentId)} will not reply: ${DROP_WORDS[reason]}.`,
  )
  return [...new Set(sentences)]
}

/** How a message is sent; null while no exchange is in progress. */
export function modeInForce(open: readonly unknown[], chosen: RoomMode): RoomMode | null {
  return open.length === 0 ? null : chosen
}

/** The effect of the mode now. `joins`: whether there is an exchange to join; undefined while unknown. */
export function modeWords(mode: RoomMode, joins: boolean | undefined): string {
  if (mode === 'steer' && joins === false) return 'Nothing to join now. This starts a new exchange.'
  return modeOf(ROOM_MODES, mode).about
}

/** The announcement after sending. */
export function sentWords(mode: RoomMode | null, joined: boolean): string {
  if (joined) return 'Sent. It joins the current exchange.'
  return mode === 'queue' ? 'Sent. It waits until this finishes.' : 'Sent.'
}
