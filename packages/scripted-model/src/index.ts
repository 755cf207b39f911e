export { PAST_THE_SCRIPT, type Persona, scriptPrompt } from './choose-turn.ts'
export type { OfferedTool, ScriptedMessage, ScriptedRequest, ScriptedToolCall, ScriptedUsage } from './message.ts'
export { personaTurn } from './persona/persona.ts'
export { readTask } from './persona/read-task.ts'
export {
  DEFAULT_WORD_DELAY_MS,
  type PlayOptions,
  playModel,
  type ScriptedEnd,
  type ScriptedPart,
} from './play-model.ts'
export { parseScript, ScriptError, type ScriptStep, type ScriptTurn } from './script.ts'
