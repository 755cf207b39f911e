import type { ExchangeView } from '../../../api/room/room.ts'
import type { RoomPreview } from '../../../api/room/room-actions.ts'
import { listed } from '../../../ui/words/sentence.ts'
import { counted } from '../../../ui/words/time-words.ts'

type NameOf = (agentId: string) => string

/** The Boo that replies now or next, and the reason. */
export function speakingWords({ speaker, pending, turns }: ExchangeView, nameOf: NameOf): string {
  if (speaker) {
    const own = pending.find(({ agentId, chainId }) => agentId === speaker.agentId && chainId === speaker.chainId)
    const because = speaker.because === 'leader' ? 'leader' : own?.because
    const why = because ? ` because ${BECAUSE_WORDS[because]}` : ''
    return `${nameOf(speaker.agentId)} replies${why}`
  }
  const names = namesOf(pending, nameOf)
  // The order depends on how often each Boo has spoken, so it is not known yet.
  if (names.length > 1) return `${listed(names)} reply next`
  if (pending[0]) return `${names[0]} is next because ${BECAUSE_WORDS[pending[0].because]}`
  return turns === 0 ? 'Starting' : 'Continuing'
}

/** "Turn 2 of 4". */
export function turnWords({ speaker, turns, bound }: ExchangeView): string {
  return `Turn ${speaker?.turn ?? Math.min(turns + 1, bound)} of ${bound}`
}

/** The Boos that reply after the current one, each once; empty when there are none. */
export function owedWords({ speaker, pending }: ExchangeView, nameOf: NameOf): string {
  if (!speaker) return ''
  const behind = pending.filter(({ agentId, chainId }) => agentId !== speaker.agentId || chainId !== speaker.chainId)
  const names = namesOf(behind, nameOf)
  return names.length === 0 ? '' : `then ${listed(names)}`
}

interface EndWords {
  readonly tone: 'plain' | 'needs'
  readonly text: string
  /** The page that can fix it; null = nothing to fix. */
  readonly remedy: 'limits' | 'settings' | null
}

export function endWords(exchange: ExchangeView, nameOf: NameOf): EndWords {
  const { reason, turns, bound, pending } = exchange
  const after = `after ${counted(turns, 'turn')}`
  switch (reason) {
    case 'max_turns': {
      const names = namesOf(pending, nameOf)
      const had = `${listed(names)} still had to reply.`
      const left = names.length === 0 ? '' : ` ${had}`
      const text = `Stopped at the limit of ${counted(bound, 'turn')}.${left} Send a message to continue.`
      return { tone: 'needs', text, remedy: 'settings' }
    }
    case 'budget_paused':
      return { tone: 'needs', text: `Paused ${after}: a budget is spent.`, remedy: 'limits' }
    case 'aborted':
      return { tone: 'plain', text: turns === 0 ? 'Stopped before the first turn.' : `Stopped ${after}.`, remedy: null }
    default:
      return {
        tone: 'plain',
        text: turns === 0 ? 'Finished · no replies' : `Finished · ${counted(turns, 'reply', 'replies')}`,
        remedy: null,
      }
  }
}

function namesOf(pending: ExchangeView['pending'], nameOf: NameOf): readonly string[] {
  return [...new Set(pending.map(({ agentId }) => agentId))].map(nameOf)
}

const FIRST_WORDS = 48

/** The start of a text, on one line. */
export function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= FIRST_WORDS) return line
  const cut = line.slice(0, FIRST_WORDS).toWellFormed()
  const space = cut.lastIndexOf(' ')
  return `${space > FIRST_WORDS / 2 ? cut.slice(0, space) : cut}…`
}

/** The origin of a chain. `body` is the text of its first post, if known. */
export function chainWords(begunBy: ExchangeView['chains'][number]['begunBy'], body: string | undefined): string {
  if (begunBy === 'board') return 'a report on the board'
  if (body !== undefined && body.trim() !== '') return `“${firstWords(body)}”`
  return begunBy === 'message' ? 'an earlier message' : 'a message from a Boo at work'
}

/** The chains that can still wake a Boo. */
export function livingChains({ chains }: ExchangeView): ExchangeView['chains'] {
  return chains.filter(({ ended }) => ended === null)
}

type WakeReason = RoomPreview['wakes'][number]['because']

/** Why a Boo will run, short enough for a chip. */
export const WAKE_WORDS: Readonly<Record<WakeReason, string>> = {
  leader: 'leads',
  message: 'leads',
  mention: 'mentioned',
  post: 'asked by a teammate',
  task_assigned: 'given a task',
  task_finished: 'a task was reported',
  task_blocked: 'a task is blocked',
}

/** The same reasons, phrased to follow "because". */
const BECAUSE_WORDS: Readonly<Record<WakeReason, string>> = {
  leader: 'it leads',
  message: 'it leads and there is a new message',
  mention: 'it was mentioned',
  post: 'a teammate asked it',
  task_assigned: 'it was given a task',
  task_finished: 'an attempt at a task ended',
  task_blocked: 'a task is blocked',
}
