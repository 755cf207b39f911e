/** What an agent answers when it has nothing to say. */
export const PASS_TOKEN = 'NO_REPLY'

/** Such an answer is a pass: it is shown to nobody. */
export function isPass(text: string): boolean {
  return text.trim() === PASS_TOKEN
}
