import type { Config } from '../config.ts'

/** The first word after `clawboo`. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** The first action is the default. A command that does one thing has one action with an empty name. */
  readonly actions: readonly Action[]
  /** Each example without the leading `clawboo`. */
  readonly examples: readonly string[]
  readonly notes?: readonly string[]
}

export interface Action {
  readonly name: string
  readonly summary: string
  /** `<required>` or `[optional]`, in order. */
  readonly parameters?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  run(args: Arguments, context: Context): Promise<Outcome>
}

/** The arguments of one action. */
export interface Arguments {
  /** Undefined only for an optional parameter that was omitted. */
  parameter(index: number): string | undefined
  needed(index: number): string
  flag(name: string): boolean
  text(name: string): string | undefined
  texts(name: string): readonly string[]
}

export interface Option {
  /** A `texts` option may be repeated. */
  readonly type: 'flag' | 'text' | 'texts'
  /** The name of the value in the help. */
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

/** `isTTY` is true for a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean }

/**
 * The result of a command. Prints `data` with `--json`, otherwise `text`; `printed` is null when the command has
 * already printed.
 */
export interface Outcome {
  readonly printed: { readonly data: unknown; readonly text: string } | null
  readonly exitCode: number
}

/** Builds the outcome for a text without its final newline. */
export function done(data: unknown, text: string, exitCode = 0): Outcome {
  return { printed: { data, text: `${text}\n` }, exitCode }
}
