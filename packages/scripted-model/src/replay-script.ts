import type { Script } from './script.ts'

/** What a reader of a scripted model gets, in order. Ends with exactly one `end`. */
export type ScriptedPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly tool: string; readonly input: unknown }
  | { readonly type: 'end'; readonly because: 'finished' | 'failed' | 'aborted'; readonly message?: string }

/** Plays a script. The same script always gives the same parts; an abort ends it before the next one. */
export async function* replayScript(script: Script, signal?: AbortSignal): AsyncGenerator<ScriptedPart> {
  let calls = 0
  for (const step of script) {
    if ('fail' in step) return yield { type: 'end', because: 'failed', message: step.fail }
    const parts: ScriptedPart[] =
      'say' in step
        ? words(step.say).map((text) => ({ type: 'text-delta', text }))
        : [{ type: 'tool-call', id: `call-${++calls}`, tool: step.callTool, input: step.with ?? {} }]
    for (const part of parts) {
      if (signal?.aborted) return yield { type: 'end', because: 'aborted' }
      yield part
    }
  }
  yield { type: 'end', because: 'finished' }
}

function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}
