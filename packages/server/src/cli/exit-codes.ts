export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  running: 3,
  refused: 4,
  notFound: 5,
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

export const EXIT_CODE_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'failed',
  2: 'wrong usage',
  3: 'not running, or running when it must be stopped',
  4: 'refused by the server',
  5: 'not found',
}
