import { areKindred, DESTROY_WORDS, PAY_WORDS, SEND_WORDS } from './effect-words.ts'
import type { PersonWords } from './person-words.ts'
import type { ToolEffect } from './tool-effect.ts'
import { stemsOf } from './word-stem.ts'

const WORDS_OF_EFFECT: Partial<Record<ToolEffect, ReadonlySet<string>>> = {
  pays: PAY_WORDS,
  sends: SEND_WORDS,
  destroys: DESTROY_WORDS,
}

/** True if the person's words ask for what the tool does, in whichever words. */
export function suggestsEffect(person: PersonWords, effect: ToolEffect, toolName: string): boolean {
  const said = [...person.stems]
  const words = WORDS_OF_EFFECT[effect]
  if (words) return said.some((word) => words.has(word))
  return stemsOf(toolName).some((word) => said.some((other) => areKindred(word, other)))
}
