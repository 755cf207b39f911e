export type InlinePart =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly parts: readonly InlinePart[] }
  | {
      readonly kind: 'link'
      readonly href: string
      readonly title: string | null
      readonly parts: readonly InlinePart[]
    }

/**
 * Every alternative matches a bounded length or characters that cannot end it, so hostile text takes linear time. A
 * backslash always matches together with the next character, so that `\*` is never a closing mark.
 */
const MARKS = new RegExp(
  [
    /\\([!-/:-@[-`{-~\n])/u,
    /(?<!`)(?<ticks>`{1,3})(?!`)([\s\S]{1,4000}?)(?<!`)\k<ticks>(?!`)/u,
    /\*\*(?=\S)((?:\\[\s\S]|[^*\\]|\*(?!\*)){1,4000}?)\*\*/u,
    /__(?=\S)((?:\\[\s\S]|[^_\\]){1,4000}?)__(?![\p{L}\p{N}])/u,
    /\*(?=[^\s*])((?:\\[^\n]|[^*\\\n]){0,4000}(?:\\[^\s]|[^\s*\\]))\*/u,
    /(?<![\p{L}\p{N}_])_(?=[^\s_])((?:\\[^\n]|[^_\\\n]){1,4000}?)_(?![\p{L}\p{N}])/u,
    /~~((?:\\[^\n]|[^~\\\n]){1,4000}?)~~/u,
    /\[((?:\\[^\n]|[^\][\\\n]){1,1000})\]\(([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)(?:[ \t]{1,9}(?:"((?:\\[^\n]|[^"\\\n]){0,500})"|'((?:\\[^\n]|[^'\\\n]){0,500})'))?[ \t]{0,9}\)/u,
    /(https?:\/\/[^\s<>()[\]"'`]{1,2000})/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)
const LONGEST = 20_000
const DEEPEST = 6

export function readInline(text: string, depth = 0): readonly InlinePart[] {
  if (depth > DEEPEST || text.length > LONGEST) return [{ kind: 'text', text }]
  const parts: InlinePart[] = []
  const add = (part: InlinePart) => {
    const last = parts.at(-1)
    if (part.kind === 'text' && last?.kind === 'text')
      parts[parts.length - 1] = { kind: 'text', text: last.text + part.text }
    else parts.push(part)
  }
  const marks = new RegExp(MARKS)
  let done = 0
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    if (match.index > done) add({ kind: 'text', text: text.slice(done, match.index) })
    add(partOf(match, depth))
    done = match.index + lengthOf(match)
    marks.lastIndex = done
  }
  if (done < text.length) add({ kind: 'text', text: text.slice(done) })
  return parts
}

function partOf(match: RegExpExecArray, depth: number): InlinePart {
  const [
    whole,
    escaped,
    ,
    code,
    strong,
    strongToo,
    emphasis,
    emphasisToo,
    struck,
    label,
    address,
    title,
    titleToo,
    bare,
  ] = match
  const inner = (text: string) => readInline(text, depth + 1)
  if (escaped !== undefined) return { kind: 'text', text: escaped }
  if (code !== undefined) return { kind: 'code', text: code.length > 2 ? code.replace(/^ (.*) $/s, '$1') : code }
  if (strong !== undefined || strongToo !== undefined) return { kind: 'strong', parts: inner(strong ?? strongToo!) }
  if (emphasis !== undefined || emphasisToo !== undefined)
    return { kind: 'emphasis', parts: inner(emphasis ?? emphasisToo!) }
  if (struck !== undefined) return { kind: 'struck', parts: inner(struck) }
  if (bare !== undefined) {
    const href = trimmedAddress(bare)
    return isWebAddress(href)
      ? { kind: 'link', href, title: null, parts: [{ kind: 'text', text: href }] }
      : { kind: 'text', text: href }
  }
  // Any other scheme could run code here, so the link stays text.
  if (!isWebAddress(address!)) return { kind: 'text', text: whole }
  const parts: readonly InlinePart[] = depth === 0 ? inner(label!) : [{ kind: 'text', text: withoutEscapes(label!) }]
  const rawTitle = title ?? titleToo
  return { kind: 'link', href: address!, title: rawTitle ? withoutEscapes(rawTitle) : null, parts }
}

function lengthOf(match: RegExpExecArray): number {
  const bare = match[13]
  return bare === undefined ? match[0].length : trimmedAddress(bare).length
}

function withoutEscapes(text: string): string {
  return text.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}

/** A full stop after an address ends the sentence and is not part of the address. */
function trimmedAddress(address: string): string {
  return address.replace(/[.,;:!?*_~]+$/, '')
}

function isWebAddress(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}
