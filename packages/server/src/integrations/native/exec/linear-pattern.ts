/**
 * A regular expression whose time is always proportional to pattern x text: it follows all alternatives at once instead
 * of backtracking. Supports literals, `.`, classes, `\d \w \s`, groups, `|`, `* + ? {m,n}`, `^` and `$`.
 */
export interface LinearPattern {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean
}

const PATTERN_MAX_CHARS = 500
const PATTERN_TEXT_MAX_CHARS = 4000
const MAX_STATES = 1000

/** Returns a reason in words when the pattern cannot be used. */
export function compilePattern(source: string): LinearPattern | string {
  if (source.length > PATTERN_MAX_CHARS) return `a pattern has at most ${PATTERN_MAX_CHARS} characters`
  const parser = { source: [...source], at: 0 }
  const tree = parseAlternatives(parser)
  if (typeof tree === 'string') return tree
  if (parser.at < parser.source.length) return 'a ")" has no "("'
  const states: State[] = []
  const start = build(tree, states, addState(states, { kind: 'accept' }))
  if (states.length > MAX_STATES) return 'the pattern is too large'
  return { test: (text) => text.length <= PATTERN_TEXT_MAX_CHARS && run(states, start, [...text]) }
}

type Node =
  | { readonly kind: 'one'; readonly fits: (char: string) => boolean }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }

interface Parser {
  readonly source: readonly string[]
  at: number
}

function parseAlternatives(parser: Parser): Node | string {
  const parts: Node[] = []
  for (;;) {
    const part = parseSequence(parser)
    if (typeof part === 'string') return part
    parts.push(part)
    if (parser.source[parser.at] !== '|') return parts.length === 1 ? part : { kind: 'any', parts }
    parser.at++
  }
}

function parseSequence(parser: Parser): Node | string {
  const parts: Node[] = []
  while (parser.at < parser.source.length && !'|)'.includes(parser.source[parser.at]!)) {
    const atom = parseAtom(parser)
    if (typeof atom === 'string') return atom
    const repeated = parseRepeat(parser, atom)
    if (typeof repeated === 'string') return repeated
    parts.push(repeated)
  }
  return { kind: 'all', parts }
}

function parseAtom(parser: Parser): Node | string {
  const char = parser.source[parser.at++]!
  if (char === '(') {
    if (parser.source[parser.at] === '?') {
      if (parser.source[parser.at + 1] !== ':') return 'after "(?" only ":" is supported'
      parser.at += 2
    }
    const inner = parseAlternatives(parser)
    if (typeof inner === 'string') return inner
    return parser.source[parser.at++] === ')' ? inner : 'a "(" is not closed'
  }
  if (char === '[') return parseClass(parser)
  if (char === '^') return { kind: 'start' }
  if (char === '$') return { kind: 'end' }
  if (char === '.') return { kind: 'one', fits: (each) => each !== '\n' && each !== '\r' }
  if ('*+?{'.includes(char)) return `there is nothing before "${char}"`
  if (char !== '\\') return { kind: 'one', fits: (each) => each === char }
  const escaped = parseEscape(parser)
  return typeof escaped === 'string' ? escaped : { kind: 'one', fits: escaped.fits }
}

type Escape = { readonly fits: (char: string) => boolean; readonly literal: string | null }

function parseEscape(parser: Parser): Escape | string {
  const char = parser.source[parser.at++]
  if (char === undefined) return 'it ends in "\\"'
  const set = { d: /\d/, D: /\D/, w: /\w/, W: /\W/, s: /\s/, S: /\S/ }[char]
  if (set) return { fits: (each) => set.test(each), literal: null }
  const control = { t: '\t', n: '\n', r: '\r' }[char]
  if (control === undefined && /[A-Za-z0-9]/.test(char)) return `"\\${char}" is not supported`
  const literal = control ?? char
  return { fits: (each) => each === literal, literal }
}

function parseClass(parser: Parser): Node | string {
  const negated = parser.source[parser.at] === '^'
  if (negated) parser.at++
  const tests: ((char: string) => boolean)[] = []
  for (;;) {
    const low = parseClassItem(parser)
    if (low === null) break
    if (typeof low === 'string') return low
    const isRange = parser.source[parser.at] === '-' && parser.source[parser.at + 1] !== ']'
    if (!isRange) {
      tests.push(low.fits)
      continue
    }
    parser.at++
    const high = parseClassItem(parser)
    if (high === null || typeof high === 'string') return high ?? 'a "[" is not closed'
    const [from, to] = [low.literal?.codePointAt(0), high.literal?.codePointAt(0)]
    if (from === undefined || to === undefined || from > to) return 'a range in "[ ]" is not in order'
    tests.push((each) => each.codePointAt(0)! >= from && each.codePointAt(0)! <= to)
  }
  return { kind: 'one', fits: (each) => tests.some((test) => test(each)) !== negated }
}

/** null at the closing bracket. */
function parseClassItem(parser: Parser): Escape | string | null {
  const char = parser.source[parser.at++]
  if (char === undefined) return 'a "[" is not closed'
  if (char === ']') return null
  return char === '\\' ? parseEscape(parser) : { fits: (each) => each === char, literal: char }
}

function parseRepeat(parser: Parser, part: Node): Node | string {
  const rest = parser.source.slice(parser.at, parser.at + 12).join('')
  const found = /^(?:([*+?])|\{(\d{1,3})(?:(,)(\d{0,3}))?\})/.exec(rest)
  if (!found) return rest.startsWith('{') ? 'a literal "{" must be written as "\\{"' : part
  parser.at += found[0].length
  if (/^[*+?{]/.test(parser.source[parser.at] ?? '')) return 'a repetition follows a repetition'
  const [, sign, low, comma, high] = found
  const min = sign ? (sign === '+' ? 1 : 0) : Number(low)
  const max = sign ? (sign === '?' ? 1 : Infinity) : comma ? (high ? Number(high) : Infinity) : min
  if (max < min) return 'a repetition is not in order'
  return { kind: 'repeat', part, min, max }
}

type State =
  | { kind: 'accept' }
  | { kind: 'one'; fits: (char: string) => boolean; next: number }
  | { kind: 'start' | 'end'; next: number }
  | { kind: 'fork'; next: number[] }

function addState(states: State[], state: State): number {
  return states.push(state) - 1
}

/** Builds from the end: every node gets its next state. Stops at too many states. */
function build(node: Node, states: State[], next: number): number {
  if (states.length > MAX_STATES) return next
  switch (node.kind) {
    case 'one':
      return addState(states, { kind: 'one', fits: node.fits, next })
    case 'start':
    case 'end':
      return addState(states, { kind: node.kind, next })
    case 'any':
      return addState(states, { kind: 'fork', next: node.parts.map((part) => build(part, states, next)) })
    case 'all':
      return node.parts.reduceRight((after, part) => build(part, states, after), next)
    case 'repeat':
      return buildRepeat(node, states, next)
  }
}

function buildRepeat(node: Node & { kind: 'repeat' }, states: State[], next: number): number {
  let after = next
  if (node.max === Infinity) {
    const fork = { kind: 'fork' as const, next: [next] }
    const loop = addState(states, fork)
    fork.next.push(build(node.part, states, loop))
    after = loop
  } else {
    for (let extra = node.min; extra < node.max && states.length <= MAX_STATES; extra++) {
      after = addState(states, { kind: 'fork', next: [next, build(node.part, states, after)] })
    }
  }
  for (let times = 0; times < node.min && states.length <= MAX_STATES; times++) after = build(node.part, states, after)
  return after
}

function run(states: readonly State[], start: number, text: readonly string[]): boolean {
  let current = new Set<number>()
  for (let at = 0; ; at++) {
    const reached = follow(states, [start, ...current], at === 0, at === text.length)
    if (reached === null) return true
    if (at === text.length) return false
    current = new Set()
    for (const state of reached) if (state.kind === 'one' && state.fits(text[at]!)) current.add(state.next)
  }
}

/** All states that are reached without a character; null when the pattern matches. */
function follow(states: readonly State[], from: readonly number[], atStart: boolean, atEnd: boolean): State[] | null {
  const seen = new Set<number>()
  const waiting = [...from]
  const reached: State[] = []
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    const state = states[id]!
    if (state.kind === 'accept') return null
    if (state.kind === 'fork') waiting.push(...state.next)
    else if (state.kind === 'one') reached.push(state)
    else if (state.kind === 'start' ? atStart : atEnd) waiting.push(state.next)
  }
  return reached
}
