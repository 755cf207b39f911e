import type { RuntimeScript } from './runtime-adapter/script.ts'

const OPENING = 'Play this script: '

/** A script as the words of a prompt. */
export function scriptPrompt(script: RuntimeScript): string {
  return OPENING + JSON.stringify(script)
}

/** The script in a prompt; words without one get a short answer. */
export function scriptInPrompt(text: string): RuntimeScript {
  return text.startsWith(OPENING) ? (JSON.parse(text.slice(OPENING.length)) as RuntimeScript) : [{ say: 'Understood.' }]
}
