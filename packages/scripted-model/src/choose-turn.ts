import type { OfferedTool, ScriptedMessage, ScriptedRequest } from './message.ts'
import { personaTurn } from './persona/persona.ts'
import { parseScript, ScriptError, type ScriptTurn } from './script.ts'

export interface ChosenTurn {
  readonly by: 'script' | 'persona'
  readonly steps: ScriptTurn
}

/** Answers a prompt that contains no script. */
export type Persona = (messages: readonly ScriptedMessage[], tools: readonly OfferedTool[]) => ScriptTurn

export const PAST_THE_SCRIPT = 'The script has no further turn.'

/**
 * Chooses the turn of this call. Call k after the newest script plays the script's turn k. The script is part of a user
 * message, so the model needs no state and calls can run in parallel. Scripts in system messages and tool results are
 * plain text. A broken script gives a 400 with the problem.
 */
export function chooseTurn(request: ScriptedRequest, persona: Persona = personaTurn): ChosenTurn {
  const { messages } = request
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!
    const json = message.role === 'user' ? fencedScript(message.text) : null
    if (json === null) continue
    try {
      const turn = parseScript(json)[answersAfter(messages, at)]
      return { by: 'script', steps: turn ?? [{ say: PAST_THE_SCRIPT }] }
    } catch (error) {
      if (error instanceof ScriptError)
        return { by: 'script', steps: [{ fail: { status: 400, message: error.message } }] }
      throw error
    }
  }
  return { by: 'persona', steps: persona(messages, request.tools) }
}

/** Adds a script to a prompt, after the text if there is any. */
export function scriptPrompt(script: readonly ScriptTurn[] | ScriptTurn, words = ''): string {
  return `${words}${words && '\n'}${OPENING}\n${JSON.stringify(script)}\n\`\`\``
}

const OPENING = '```script'

/** Returns the last fence marked `script`, or null when there is none or it never closes. */
function fencedScript(text: string): string | null {
  let at = text.lastIndexOf(OPENING)
  while (at >= 0) {
    const fenced = /^```script[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/.exec(text.slice(at))
    if (fenced && (at === 0 || text[at - 1] === '\n')) return fenced[1]!
    at = at === 0 ? -1 : text.lastIndexOf(OPENING, at - 1)
  }
  return null
}

/** Some protocols join adjacent assistant messages, so adjacent messages always count as one. */
function answersAfter(messages: readonly ScriptedMessage[], start: number): number {
  let answers = 0
  for (let at = start + 1; at < messages.length; at++)
    if (messages[at]!.role === 'assistant' && messages[at - 1]!.role !== 'assistant') answers++
  return answers
}
