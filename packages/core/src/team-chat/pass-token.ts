/** What an agent answers when it has nothing to say, unless its runtime claims the other word. */
export const PASS_TOKEN = 'NO_REPLY'

const PASS_TOKENS: readonly string[] = [PASS_TOKEN, 'NOTHING_TO_SAY']

/** Such an answer is a pass: it is shown to nobody. */
export function isPass(text: string): boolean {
  return PASS_TOKENS.includes(text.trim())
}

/** While an answer is made: all of it may still be a pass. */
export function mayBecomePass(text: string): boolean {
  return PASS_TOKENS.some((token) => token.startsWith(text.trim()))
}
