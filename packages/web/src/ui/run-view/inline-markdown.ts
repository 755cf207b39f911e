/** What stands inside a line. */
export type InlinePart =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly parts: readonly InlinePart[] }
  | { readonly kind: 'link'; readonly href: string; readonly parts: readonly InlinePart[] }

/** Every alternative runs over a bounded stretch or over characters that cannot end it: hostile text takes no longer. */
const MARKS =
  /(?<!`)(`{1,3})(?!`)([\s\S]{1,4000}?)(?<!`)\1(?!`)|\*\*(?=\S)((?:[^*]|\*(?!\*)){1,4000}?)\*\*|__(?=\S)([^_]{1,4000}?)__(?![\p{L}\p{N}])|\*(?=[^\s*])([^*\n]{0,4000}[^\s*])\*|(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]{1,4000}?)_(?![\p{L}\p{N}])|~~([^~\n]{1,4000}?)~~|\[([^\][\n]{1,1000})\]\(([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)\)|(https?:\/\/[^\s<>()[\]"'`]{1,2000})/gu
const LONGEST = 20_000
const DEEPEST = 6

export function readInline(text: string, depth = 0): readonly InlinePart[] {
  if (depth > DEEPEST || text.length > LONGEST) return [{ kind: 'text', text }]
  const parts: InlinePart[] = []
  const marks = new RegExp(MARKS)
  let done = 0
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    if (match.index > done) parts.push({ kind: 'text', text: text.slice(done, match.index) })
    parts.push(partOf(match, depth))
    done = match.index + lengthOf(match)
    marks.lastIndex = done
  }
  if (done < text.length) parts.push({ kind: 'text', text: text.slice(done) })
  return parts
}

function partOf(match: RegExpExecArray, depth: number): InlinePart {
  const [whole, , code, strong, strongToo, emphasis, emphasisToo, struck, label, address, bare] = match
  const inner = (text: string) => readInline(text, depth + 1)
  if (code !== undefined) return { kind: 'code', text: code.length > 2 ? code.replace(/^ (.*) $/s, '$1') : code }
  if (strong !== undefined || strongToo !== undefined) return { kind: 'strong', parts: inner(strong ?? strongToo!) }
  if (emphasis !== undefined || emphasisToo !== undefined)
    return { kind: 'emphasis', parts: inner(emphasis ?? emphasisToo!) }
  if (struck !== undefined) return { kind: 'struck', parts: inner(struck) }
  if (bare !== undefined) {
    const href = trimmedAddress(bare)
    return isWebAddress(href)
      ? { kind: 'link', href, parts: [{ kind: 'text', text: href }] }
      : { kind: 'text', text: href }
  }
  // Any other scheme could run something here: what it says stays readable as text.
  return isWebAddress(address!)
    ? { kind: 'link', href: address!, parts: depth === 0 ? inner(label!) : [{ kind: 'text', text: label! }] }
    : { kind: 'text', text: whole }
}

function lengthOf(match: RegExpExecArray): number {
  return match[10] === undefined ? match[0].length : trimmedAddress(match[10]).length
}

/** A full stop behind an address ends the sentence, not the address. */
function trimmedAddress(address: string): string {
  return address.replace(/[.,;:!?*_~]+$/, '')
}

function isWebAddress(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}
