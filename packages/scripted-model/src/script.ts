/** One thing a scripted model does. */
export type ScriptStep =
  /** Says a text, word by word. */
  | { readonly say: string }
  /** Asks for a tool. */
  | { readonly callTool: string; readonly with?: unknown }
  /** Breaks off. */
  | { readonly fail: string }

export type Script = readonly ScriptStep[]

const FENCE = /```script\n([\s\S]*?)\n```/

/**
 * Finds the script inside a prompt, in a fence marked `script`. Because it travels with the request, the model keeps no
 * state and any number of requests can run side by side. null = the prompt holds none.
 */
export function scriptInPrompt(prompt: string): Script | null {
  const fenced = FENCE.exec(prompt)
  if (!fenced) return null
  const steps: unknown = JSON.parse(fenced[1]!)
  if (!Array.isArray(steps) || !steps.every(isStep))
    throw new TypeError('a script is a list of steps that say, callTool or fail')
  return steps
}

function isStep(step: unknown): step is ScriptStep {
  if (typeof step !== 'object' || step === null) return false
  return (
    ['say', 'callTool', 'fail'].filter((key) => typeof (step as Record<string, unknown>)[key] === 'string').length === 1
  )
}
