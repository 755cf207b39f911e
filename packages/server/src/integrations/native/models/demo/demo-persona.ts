import { type Persona, personaTurn } from '@clawboo/scripted-model'
import { demoRuns } from './demo-run.ts'
import { joinCutOff } from './new-words.ts'
import { playLeader } from './play-leader.ts'
import { playTask } from './play-task.ts'
import { playTeammate } from './play-teammate.ts'
import { isRoomPrompt, readRoomPrompt } from './read-room-prompt.ts'
import { isTaskPrompt } from './read-task-prompt.ts'

/**
 * What the demo model does with a prompt that holds no script: it plays its part in a team's room and works on tasks of
 * the board; with people alone it is the usual persona. It depends on nothing but the conversation and the tools.
 */
export const demoPersona: Persona = (messages, tools) => {
  const tasks = demoRuns(messages, isTaskPrompt)
  if (tasks) return playTask(tasks.at(-1)!, tools)
  const turns = demoRuns(messages, isRoomPrompt)
  if (!turns) return personaTurn(messages, tools)
  const { run, earlier } = joinCutOff(turns)
  const turn = readRoomPrompt(run.prompt)
  const leads = turn.me?.isLeader === true && turn.teammates.length > 0
  return leads ? playLeader(turn, run, earlier, tools) : playTeammate(turn, run, earlier, tools)
}
