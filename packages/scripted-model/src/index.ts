export { replayScript, type ScriptedPart } from './replay-script.ts'
export { type Script, type ScriptStep, scriptInPrompt } from './script.ts'
