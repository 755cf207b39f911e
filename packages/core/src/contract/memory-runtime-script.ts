import type { RuntimeScript } from './runtime-adapter/script.ts'

const OPENING = 'Play this script: '

/** Encodes a script as the text of a prompt. */
export function scriptPrompt(script: RuntimeScript): string {
  return OPENING + JSON.stringify(script)
}

/** Reads the script from a prompt. A text without a script gets a short answer. */
export function scriptInPrompt(text: string): RuntimeScript {
  return text.startsWith(OPENING) ? (JSON.parse(text.slice(OPENING.length)) as RuntimeScript) : [{ say: 'Understood.' }]
}
