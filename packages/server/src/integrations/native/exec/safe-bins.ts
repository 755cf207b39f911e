const FOLDERS = ['/bin', '/usr/bin']

/** The arguments with which a filter reads its input only. Long options must be complete: a prefix may be ambiguous. */
interface ArgumentProfile {
  readonly flags: string
  /** Letters with a value. */
  readonly values: string
  readonly long: readonly string[]
  readonly longValues: readonly string[]
  /** The number of words that are neither options nor files. */
  readonly operands: number
  /** Accepts `-5` for five lines. */
  readonly number?: boolean
}

const PROFILES: Readonly<Record<string, ArgumentProfile>> = {
  cut: {
    flags: 'nsz',
    values: 'bcdf',
    long: ['complement', 'only-delimited', 'zero-terminated'],
    longValues: ['bytes', 'characters', 'delimiter', 'fields', 'output-delimiter'],
    operands: 0,
  },
  uniq: {
    flags: 'cdDiuz',
    values: 'fsw',
    long: ['count', 'repeated', 'ignore-case', 'unique', 'zero-terminated'],
    longValues: ['skip-fields', 'skip-chars', 'check-chars'],
    operands: 0,
  },
  head: {
    flags: 'qvz',
    values: 'nc',
    long: ['quiet', 'silent', 'verbose', 'zero-terminated'],
    longValues: ['lines', 'bytes'],
    operands: 0,
    number: true,
  },
  tail: {
    flags: 'qvz',
    values: 'nc',
    long: ['quiet', 'silent', 'verbose', 'zero-terminated'],
    longValues: ['lines', 'bytes'],
    operands: 0,
    number: true,
  },
  tr: {
    flags: 'cCdst',
    values: '',
    long: ['complement', 'delete', 'squeeze-repeats', 'truncate-set1'],
    longValues: [],
    operands: 2,
  },
  wc: {
    flags: 'cmlLw',
    values: '',
    long: ['bytes', 'chars', 'lines', 'max-line-length', 'words'],
    longValues: [],
    operands: 0,
  },
}

export const SAFE_BINS: readonly string[] = Object.keys(PROFILES)

/** Whether a call only filters its input: a filter of the system, without a word that could name a file. */
export function isSafeBinCall(name: string, args: readonly string[], path: string): boolean {
  if (!SAFE_BINS.includes(name) || !FOLDERS.some((folder) => path === `${folder}/${name}`)) return false
  return fits(PROFILES[name]!, args)
}

function fits(profile: ArgumentProfile, args: readonly string[]): boolean {
  let operands = 0
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    if (word === '--') {
      operands += args.length - at - 1
      break
    }
    if (word.startsWith('--')) {
      const [name, value] = splitOnce(word.slice(2))
      if (value === null && profile.long.includes(name)) continue
      if (!profile.longValues.includes(name)) return false
      if (value === null && ++at >= args.length) return false
    } else if (word.startsWith('-') && word.length > 1) {
      const taken = shortOptions(profile, word)
      if (taken === null) return false
      if (taken === 'wants-value' && ++at >= args.length) return false
    } else operands++
  }
  return operands <= profile.operands
}

function shortOptions(profile: ArgumentProfile, word: string): 'complete' | 'wants-value' | null {
  if (profile.number && /^-\d+$/.test(word)) return 'complete'
  for (let at = 1; at < word.length; at++) {
    if (profile.values.includes(word[at]!)) return at === word.length - 1 ? 'wants-value' : 'complete'
    if (!profile.flags.includes(word[at]!)) return null
  }
  return 'complete'
}

function splitOnce(text: string): readonly [string, string | null] {
  const at = text.indexOf('=')
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
}
