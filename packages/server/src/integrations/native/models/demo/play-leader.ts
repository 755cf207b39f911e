import { PASS_TOKEN } from '@clawboo/core/team-chat'
import type { OfferedTool, ScriptStep, ScriptTurn } from '@clawboo/scripted-model'
import { type DemoRun, type DoneCall, hasSpoken } from './demo-run.ts'
import { handoffWords, oneLine, quoted, SCRIPTED_NOTE, summaryWords, taskBody } from './demo-words.ts'
import { hasEnded, reportedStatus, seenTask, tasksToCheck } from './handed-tasks.ts'
import { newWords, type Words } from './new-words.ts'
import type { RoomMember, RoomTurn } from './read-room-prompt.ts'

export const PASS: ScriptTurn = [{ say: PASS_TOKEN }]

const TITLE_CHARACTERS = 100

/** A person's message that becomes a task, and its assignee. */
interface Piece extends Words {
  readonly mate: RoomMember
}

/**
 * A leader's turn. Each message of a person becomes a task for the next teammate, announced in a post to that teammate. The
 * final answer summarises the tasks that have ended. Without anything to do or report it passes.
 */
export function playLeader(
  turn: RoomTurn,
  run: DemoRun,
  earlier: readonly DemoRun[],
  tools: readonly OfferedTool[],
): ScriptTurn {
  const offers = (name: string) => tools.some((tool) => tool.name === name)
  const of = (name: string) => run.calls.filter(({ tool }) => tool === name)
  const pieces = piecesOf(turn, run, earlier)
  const made = of('create_task')
  const makes = offers('create_task') ? pieces.slice(made.length).map(createTaskStep) : []
  const looks = of('get_task').length === 0 && offers('get_task') ? lookSteps(turn, earlier) : []
  if (makes.length + looks.length > 0) return [...firstWords(pieces.slice(made.length)), ...makes, ...looks]

  const isFirst = ![...earlier, run].some(hasSpoken)
  const announced = announcedPieces(run.calls)
  const handoff = handoffWords(pieces.slice(announced), made.slice(announced))
  const note = isFirst ? [SCRIPTED_NOTE] : []
  const hasFailed = of('team_chat_post').some(({ failed }) => failed)
  if (handoff !== '' && offers('team_chat_post') && !hasFailed) {
    const to = [...new Set(pieces.slice(announced).map(({ mate }) => mate.id))]
    return [{ callTool: 'team_chat_post', with: { body: [handoff, ...note].join('\n\n'), to } }]
  }
  const ended = of('get_task')
    .flatMap((call) => seenTask(call) ?? [])
    .filter((task) => hasEnded(task) && reportedStatus(earlier, task.id) !== task.status)
  const last = [handoff, summaryWords(ended)].filter((text) => text !== '')
  return last.length === 0 ? PASS : [{ say: [...last, ...note].join('\n\n') }]
}

function piecesOf(turn: RoomTurn, run: DemoRun, earlier: readonly DemoRun[]): readonly Piece[] {
  const handedOn = earlier.flatMap(({ calls }) => calls.filter(({ tool }) => tool === 'create_task')).length
  const { teammates } = turn
  return newWords(turn, run, earlier).map((words, at) => ({
    ...words,
    mate: teammates[(handedOn + at) % teammates.length]!,
  }))
}

function createTaskStep({ from, text, mate }: Piece): ScriptStep {
  const title = `First draft: ${oneLine(text, TITLE_CHARACTERS) || 'a message without words'}`
  const body = taskBody(from, text)
  return { callTool: 'create_task', with: { title, body, assignee: mate.id, changesFiles: true } }
}

function lookSteps(turn: RoomTurn, earlier: readonly DemoRun[]): ScriptStep[] {
  const ids = tasksToCheck(earlier, turn.because.includes('report'))
  return ids.map((id) => ({ callTool: 'get_task', with: { id } }))
}

/** Counts the pieces that were announced: those whose tasks were created before the last post. */
function announcedPieces(calls: readonly DoneCall[]): number {
  const last = calls.findLastIndex(({ tool, failed }) => tool === 'team_chat_post' && !failed)
  return calls.slice(0, last + 1).filter(({ tool }) => tool === 'create_task').length
}

function firstWords(pieces: readonly Piece[]): ScriptStep[] {
  if (pieces.length === 0) return []
  const lines = pieces.map(({ text, mate }) => `${quoted(text)}: a first draft is a task for ${mate.name}.`)
  return [
    { think: 'I lead this team. I delegate the work as a task and summarise it when it ends.' },
    { say: `${lines.join('\n')} I put it on the board.` },
  ]
}
