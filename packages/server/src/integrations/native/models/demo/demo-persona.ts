import { type Persona, personaTurn } from '@clawboo/scripted-model'
import { demoRuns } from './demo-run.ts'
import { joinInterrupted } from './new-words.ts'
import { playLeader } from './play-leader.ts'
import { playTask } from './play-task.ts'
import { playTeammate } from './play-teammate.ts'
import { isRoomPrompt, readRoomPrompt } from './read-room-prompt.ts'
import { isTaskPrompt } from './read-task-prompt.ts'

/**
 * The demo model's behaviour for a prompt without a script: it takes part in a team's room and works on tasks of the board.
 * In a conversation with a person it is the usual persona. It depends only on the conversation and the tools.
 */
export const demoPersona: Persona = (messages, tools) => {
  const tasks = demoRuns(messages, isTaskPrompt)
  if (tasks) return playTask(tasks.at(-1)!, tools)
  const roomRuns = demoRuns(messages, isRoomPrompt)
  if (!roomRuns) return personaTurn(messages, tools)
  const { run, earlier } = joinInterrupted(roomRuns)
  const turn = readRoomPrompt(run.prompt)
  const leads = turn.me?.isLeader === true && turn.teammates.length > 0
  return leads ? playLeader(turn, run, earlier, tools) : playTeammate(turn, run, earlier, tools)
}
