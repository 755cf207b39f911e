import type { ImageContent, TextContent } from '../session/message.ts'

export const RESULT_MAX_CHARS = 16_000
const WINDOW_SHARE = 0.3
const CHARS_PER_TOKEN = 4
const KEEP_AT_LEAST = 2000
const TAIL_CHECKED = 2000
const TAIL_MAX_CHARS = 4000
const TAIL_SHARE = 0.3
const MIDDLE_MARK = '\n\n[... the middle was left out ...]\n\n'

type Content = readonly (TextContent | ImageContent)[]

/** How many characters of one tool result a model sees. */
export function resultMaxChars(contextWindow: number): number {
  return Math.min(RESULT_MAX_CHARS, Math.floor(contextWindow * WINDOW_SHARE * CHARS_PER_TOKEN))
}

/** Limits the total text of a result. Images pass unchanged. Returns the same value if it fits. */
export function limitToolResult(content: Content, maxChars: number): Content {
  const total = content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  if (total <= maxChars) return content
  const texts = content.filter((part) => part.type === 'text').length
  return content.map((part) => {
    if (part.type !== 'text') return part
    const share = texts === 1 ? maxChars : Math.floor((maxChars * part.text.length) / total)
    return { ...part, text: limitText(part.text, share, texts === 1 ? KEEP_AT_LEAST : 0) }
  })
}

/** Keeps the beginning, and also the end if it looks important. Never splits a character. */
export function limitText(text: string, maxChars: number, keepAtLeast = KEEP_AT_LEAST): string {
  if (text.length <= maxChars) return text
  const budget = Math.min(text.length, Math.max(keepAtLeast, maxChars - notice(text.length).length))
  const tailBudget = Math.min(Math.floor(budget * TAIL_SHARE), TAIL_MAX_CHARS)
  const headBudget = budget - tailBudget - MIDDLE_MARK.length
  if (headBudget > KEEP_AT_LEAST && tailMatters(text)) {
    const head = text.slice(0, headEnd(text, headBudget))
    const tail = text.slice(tailStart(text, tailBudget))
    return `${head}${MIDDLE_MARK}${tail}${notice(text.length - head.length - tail.length)}`
  }
  const head = text.slice(0, headEnd(text, budget))
  return head.length === text.length ? text : `${head}${notice(text.length - head.length)}`
}

function notice(removed: number): string {
  return `\n\n[${removed} characters of this result were left out. Ask for a smaller part to see them.]`
}

function tailMatters(text: string): boolean {
  const tail = text.slice(-TAIL_CHECKED)
  return (
    /[}\]]\s*$/.test(tail.slice(-200)) ||
    /\b(errors?|exception|fail(ed|ure|ures)?|fatal|panic|traceback|exit code|errno|denied|refused)\b/i.test(tail) ||
    /\b(total|summary|results?|passed|completed?|finished|done)\b/i.test(tail)
  )
}

/** Cuts at a newline in the last fifth of the budget if possible. */
function headEnd(text: string, budget: number): number {
  const newline = text.lastIndexOf('\n', budget - 1)
  const end = newline >= budget * 0.8 ? newline : budget
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
}

function tailStart(text: string, budget: number): number {
  const start = text.length - budget
  const newline = text.indexOf('\n', start)
  const cut = newline !== -1 && newline < start + budget * 0.2 ? newline + 1 : start
  return isHighSurrogate(text.charCodeAt(cut - 1)) ? cut + 1 : cut
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
