/** Some of a program's options. */
export interface OptionSet {
  /** Letters. */
  readonly short?: string
  /** Whole names, without the dashes. */
  readonly long?: readonly string[]
  /** The first word is a bundle of letters even without a dash. */
  readonly bundleFirst?: boolean
  /** Other words that count. */
  readonly word?: RegExp
}

/**
 * The first argument that is, or could be, one of the options. A long name may be shortened to any beginning of it, and
 * a letter may stand anywhere in a bundle: what is a bundle and what a letter's value is not told apart.
 */
export function findOption(options: OptionSet, args: readonly string[]): string | undefined {
  return args.find((argument, at) => isOption(options, argument, at))
}

function isOption({ short = '', long = [], bundleFirst = false, word }: OptionSet, argument: string, at: number) {
  if (word?.test(argument)) return true
  if (argument === '--') return false
  if (argument.startsWith('--')) {
    const name = argument.slice(2).split('=', 1)[0]!
    return long.some((each) => each.startsWith(name))
  }
  if (!argument.startsWith('-') && !(bundleFirst && at === 0)) return false
  return [...short].some((letter) => argument.includes(letter))
}
