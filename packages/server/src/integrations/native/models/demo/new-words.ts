import type { DemoRun } from './demo-run.ts'
import { type RoomTurn, readAddedWords, readRoomPrompt } from './read-room-prompt.ts'

export interface Words {
  readonly from: string
  readonly text: string
}

/** The messages of people that this turn is the first to answer, oldest first, including those that arrive during it. */
export function newWords(turn: RoomTurn, run: DemoRun, earlier: readonly DemoRun[]): readonly Words[] {
  const isAsked = turn.because.includes('asked') || (turn.because.includes('nominated') && turn.turn === 1)
  const from = turn.messages.at(-1)?.from ?? 'A person'
  const added = run.added.map((text) => ({ from, text: readAddedWords(text) }))
  if (!isAsked) return added
  const fresh = turn.messages.slice(answeredBefore(turn, earlier.at(-1)))
  return [...(fresh.length > 0 ? fresh : turn.messages.slice(-1)), ...added]
}

/** A prompt repeats all messages of its exchange. Returns how many of them the previous turn contained. */
function answeredBefore(turn: RoomTurn, last: DemoRun | undefined): number {
  if (!last) return 0
  const before = readRoomPrompt(last.prompt)
  const isSameExchange =
    before.turn < turn.turn && before.messages.every(({ text }, at) => turn.messages[at]?.text === text)
  return isSameExchange ? before.messages.length + last.added.length : 0
}

/** An interrupted turn is repeated. Its tool calls so far belong to the turn that continues it. */
export function joinInterrupted(runs: readonly [DemoRun, ...DemoRun[]]): { run: DemoRun; earlier: readonly DemoRun[] } {
  let run = runs.at(-1)!
  let first = runs.length - 1
  const { turn, messages } = readRoomPrompt(run.prompt)
  for (; first > 0; first--) {
    const before = runs[first - 1]!
    const previous = readRoomPrompt(before.prompt)
    const isSame = previous.turn === turn && JSON.stringify(previous.messages) === JSON.stringify(messages)
    if (before.isOver || !isSame) break
    run = { ...run, calls: [...before.calls, ...run.calls] }
  }
  return { run, earlier: runs.slice(0, first) }
}
