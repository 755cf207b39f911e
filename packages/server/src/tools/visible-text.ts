/**
 * Characters that a model reads but a person does not see: controls, directions, tags, private and joining characters.
 * Line ends and tabs are visible.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Zl}|\p{Zp}|[\u115F\u1160\u3164\uFFA0]|[\u{E0100}-\u{E01EF}]/gu
const SEEN_CONTROLS = /[\n\r\t]/

export function visibleText(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (character) => (SEEN_CONTROLS.test(character) ? character : ''))
}

export function hasUnseenCharacters(text: string): boolean {
  return visibleText(text) !== text
}
