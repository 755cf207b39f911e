import type { RuntimeScript, RuntimeScriptStep } from '@clawboo/core/contract'
import { type ScriptStep, scriptPrompt } from '@clawboo/scripted-model'

/** The commands that stand for tools of a contract script. */
export interface ScriptedCommands {
  /** Runs until the fixture releases it, and needs no approval. */
  readonly hold: string
  /** Needs approval. */
  readonly act: string
}

/** A prompt that makes the scripted model behind a Gateway play a script of the runtime contract. */
export function contractPrompt(script: RuntimeScript, commands: ScriptedCommands, words: string): string {
  const calls: ScriptStep[][] = [[]]
  for (const step of script) {
    const played = playedAs(step, commands)
    calls.at(-1)!.push(played)
    if ('callTool' in played) calls.push([])
  }
  // A Gateway reports an answer without text as a failure.
  for (const call of calls)
    if (call.length > 0 && call.every((step) => Object.hasOwn(step, 'wait'))) call.push({ say: 'Well.' })
  return scriptPrompt(
    calls.filter((call) => call.length > 0),
    words,
  )
}

function playedAs(step: RuntimeScriptStep, { hold, act }: ScriptedCommands): ScriptStep {
  // The maximum that a Gateway accepts: on a busy machine the default of ten seconds is too short.
  const exec = (command: string): ScriptStep => ({ callTool: 'exec', with: { command, yieldMs: 120_000 } })
  if ('hang' in step) return { stall: true }
  if ('failFatally' in step) return { fail: { status: 400, message: step.failFatally } }
  if ('askApproval' in step) return exec(`${act} ${step.askApproval}`)
  if ('writeFile' in step) return { callTool: 'write', with: { path: step.writeFile, content: step.content } }
  if ('callHostTool' in step) return { callTool: step.callHostTool, with: step.with }
  if (!('callTool' in step)) return step
  return step.callTool === 'held' ? exec(hold) : { callTool: 'write', with: { path: 'note.txt', content: 'a note' } }
}
