/** A selection of a program's options. */
export interface OptionSet {
  /** Single letters. */
  readonly short?: string
  /** Long names without the dashes. */
  readonly long?: readonly string[]
  /** The first argument is a bundle of letters even without a dash, as for tar. */
  readonly bundleFirst?: boolean
  /** Other matching words. */
  readonly word?: RegExp
}

/**
 * The first argument that is, or could be, one of the options. Any prefix of a long name counts, and a letter counts
 * anywhere in a bundle, because a value in a bundle looks like letters.
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
