import type { Config } from '../config.ts'
import type { Arguments } from './parse-arguments.ts'

/** One word after `clawboo`. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The first one runs when none is named. A command that does one thing has one, with an empty name. */
  readonly actions: readonly Action[]
  /** What comes after `clawboo`. */
  readonly examples: readonly string[]
  readonly notes?: readonly string[]
}

export interface Action {
  readonly name: string
  readonly summary: string
  /** `<needed>` or `[optional]`, in order. */
  readonly parameters?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  run(args: Arguments, context: Context): Promise<Outcome>
}

export interface Option {
  /** `texts` may be given more than once. */
  readonly type: 'flag' | 'text' | 'texts'
  /** What its value is called in the help. */
  readonly value?: string
  readonly summary: string
}

export interface Context {
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
  readonly json: boolean
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
}

/** `isTTY` is true when a person sees it. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean }

/** What a command found. With `--json` it prints `data`, else `text` as it is; null when it has printed by itself. */
export interface Outcome {
  readonly printed: { readonly data: unknown; readonly text: string } | null
  readonly exitCode: number
}

/** For text of our own, which ends in a new line when printed. */
export function done(data: unknown, text: string, exitCode = 0): Outcome {
  return { printed: { data, text: `${text}\n` }, exitCode }
}
