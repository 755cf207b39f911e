/** One word as the shell reads it. */
export interface ShellWord {
  /** The argument that the program gets, unless the word is a pattern. */
  readonly text: string
  /** Has an unquoted `*`, `?`, `[` or leading `~`, which the shell expands. */
  readonly pattern: boolean
  /** The text in the command. */
  readonly source: string
}

/** One program with its arguments, and the operator before it. */
export interface ShellSegment {
  readonly words: readonly ShellWord[]
  readonly joint: '' | '|' | '&&' | '||' | ';' | '&'
}

export type ParsedCommand =
  | { readonly understood: true; readonly segments: readonly ShellSegment[]; readonly endsInBackground: boolean }
  | { readonly understood: false; readonly reason: string }

const PARSED_MAX_CHARS = 10_000
const MAX_SEGMENTS = 50

/**
 * Splits a command line into the programs that it runs. Understands words, quotes, pipes, `&&`, `||`, `;`, `&` and
 * newlines. Anything else is "not understood", with a reason: a wrong guess would run a command that nobody allowed.
 */
export function parseCommand(command: string): ParsedCommand {
  if (command.length > PARSED_MAX_CHARS) return notUnderstood(`it is longer than ${PARSED_MAX_CHARS} characters`)
  const hidden = hiddenCharacter(command)
  if (hidden !== null) return notUnderstood(hidden)
  const tokens = readTokens(command)
  return 'reason' in tokens ? notUnderstood(tokens.reason) : toSegments(tokens.tokens)
}

/** The first character that is invisible or looks like another one, in words; null when there is none. */
export function hiddenCharacter(text: string): string | null {
  const found = /[^\P{C}\t\n]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}|\u2800/u.exec(text)
  if (found === null) return null
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return `it contains an invisible or misleading character (U+${code})`
}

type Token = { readonly word: ShellWord } | { readonly operator: string }
type Tokens = { readonly tokens: readonly Token[] } | { readonly reason: string }

const UNSAFE: Readonly<Record<string, string>> = {
  $: 'it uses "$", whose value is known only when it runs',
  '`': 'it runs a command inside a command (backquotes)',
  '<': 'it redirects input',
  '>': 'it redirects output',
  '(': 'it uses parentheses (a subshell or a function)',
  ')': 'it uses parentheses (a subshell or a function)',
  '{': 'it uses braces',
  '}': 'it uses braces',
}

function readTokens(command: string): Tokens {
  const tokens: Token[] = []
  let at = 0
  while (at < command.length) {
    const char = command[at]!
    if (char === ' ' || char === '\t') at++
    else if (char === '\n') {
      tokens.push({ operator: '\n' })
      at++
    } else if (char === '|' || char === '&' || char === ';') {
      const operator = command.startsWith(char + char, at) && char !== ';' ? char + char : char
      tokens.push({ operator })
      at += operator.length
    } else {
      const read = readWord(command, at)
      if ('reason' in read) return read
      tokens.push({ word: read.word })
      at = read.next
    }
  }
  return { tokens }
}

type ReadWord = { readonly word: ShellWord; readonly next: number } | { readonly reason: string }

function readWord(command: string, start: number): ReadWord {
  let at = start
  let text = ''
  let pattern = command[start] === '~'
  if (command[start] === '#') return { reason: 'it contains a comment ("#")' }
  while (at < command.length && !/[ \t\n|&;]/.test(command[at]!)) {
    const char = command[at]!
    if (char === "'" || char === '"') {
      const quoted = char === "'" ? readSingle(command, at) : readDouble(command, at)
      if ('reason' in quoted) return quoted
      text += quoted.text
      at = quoted.next
      continue
    }
    if (char === '\\') {
      if (at + 1 >= command.length || command[at + 1] === '\n') return { reason: 'it continues a line ("\\")' }
      text += command[at + 1]
      at += 2
      continue
    }
    const unsafe = UNSAFE[char]
    if (unsafe !== undefined) return { reason: unsafe }
    if (char > '~') return { reason: 'it contains a character outside ASCII without quotes' }
    if (char === '*' || char === '?' || char === '[') pattern = true
    text += char
    at++
  }
  return { word: { text, pattern, source: command.slice(start, at) }, next: at }
}

type Quoted = { readonly text: string; readonly next: number } | { readonly reason: string }

function readSingle(command: string, start: number): Quoted {
  const end = command.indexOf("'", start + 1)
  return end === -1 ? { reason: 'a quote is not closed' } : { text: command.slice(start + 1, end), next: end + 1 }
}

function readDouble(command: string, start: number): Quoted {
  let text = ''
  for (let at = start + 1; at < command.length; at++) {
    const char = command[at]!
    if (char === '"') return { text, next: at + 1 }
    if (char === '$' || char === '`') return { reason: UNSAFE[char]! }
    if (char !== '\\') text += char
    else if (/[$`"\\]/.test(command[at + 1] ?? '')) text += command[++at]
    else if (command[at + 1] === '\n') return { reason: 'it continues a line ("\\")' }
    else text += char
  }
  return { reason: 'a quote is not closed' }
}

const RESERVED = new Set(
  'if then else elif fi do done case esac while until for in select function time coproc ! [[ ]]'.split(' '),
)

function toSegments(tokens: readonly Token[]): ParsedCommand {
  const segments: ShellSegment[] = []
  let joint: ShellSegment['joint'] = ''
  let words: ShellWord[] = []
  let last = '\n'
  for (const token of [...tokens, { operator: '\n' }]) {
    if ('word' in token) {
      words.push(token.word)
      last = ''
      continue
    }
    if (words.length > 0) {
      const reason = commandWordProblem(words[0]!)
      if (reason !== null) return notUnderstood(reason)
      segments.push({ words, joint })
      words = []
      last = ''
    } else if (token.operator === '\n') {
      continue
    } else if (last !== '\n') {
      return notUnderstood('an operator follows an operator')
    } else {
      return notUnderstood(`there is no command before "${token.operator}"`)
    }
    last = token.operator
    joint = token.operator === '\n' ? ';' : (token.operator as ShellSegment['joint'])
  }
  if (last !== '\n' && last !== ';' && last !== '&') return notUnderstood(`there is no command after "${last}"`)
  if (segments.length === 0) return notUnderstood('it is empty')
  if (segments.length > MAX_SEGMENTS) return notUnderstood(`it runs more than ${MAX_SEGMENTS} programs`)
  return { understood: true, segments, endsInBackground: last === '&' }
}

function commandWordProblem(word: ShellWord): string | null {
  if (word.pattern) return 'the program is named by a pattern'
  if (word.text === '') return 'the program has no name'
  if (/^[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=/.test(word.source)) return 'it sets a variable'
  if (RESERVED.has(word.source)) return `it uses the shell's "${word.source}"`
  return null
}

function notUnderstood(reason: string): ParsedCommand {
  return { understood: false, reason }
}

/**
 * The same command with every word quoted and every program as a whole path. It runs exactly what was checked, even if a
 * shell reads the original in another way.
 */
export function canonicalCommand(
  parsed: { readonly segments: readonly ShellSegment[]; readonly endsInBackground: boolean },
  pathOf: (program: string) => string,
): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const pieces = parsed.segments.map(({ words, joint }) => {
    const [program, ...rest] = words
    const line = [quote(pathOf(program!.text)), ...rest.map((word) => (word.pattern ? word.source : quote(word.text)))]
    return `${joint === '' ? '' : ` ${joint} `}${line.join(' ')}`
  })
  return pieces.join('') + (parsed.endsInBackground ? ' &' : '')
}
