import { parseArgs } from 'node:util'
import { ClawbooError } from '@clawboo/core'
import { closestWord } from './closest-word.ts'
import type { Action, Command, Option } from './command.ts'

/** What was typed behind the command. */
export interface Arguments {
  /** Undefined only for an optional one that was not given. */
  parameter(index: number): string | undefined
  needed(index: number): string
  flag(name: string): boolean
  text(name: string): string | undefined
  texts(name: string): readonly string[]
}

export interface CommandLine {
  readonly command: Command
  readonly action: Action
  readonly help: boolean
  /** Reads what was typed; throws `request_invalid` when it does not fit the action. */
  readonly parse: () => Arguments
}

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  help: { type: 'flag', summary: 'say what the command does' },
  json: { type: 'flag', summary: 'print one JSON document' },
}

/** Finds what to run. Null when no command was named. Throws `request_invalid` for one that does not exist. */
export function readCommandLine(argv: readonly string[], commands: readonly Command[]): CommandLine | null {
  const place = argv.findIndex((word) => !word.startsWith('-'))
  if (place === -1) return null
  const name = argv[place]!
  const command = commands.find((known) => known.name === name)
  if (!command)
    throw unknown(
      'command',
      name,
      commands.map((known) => known.name),
    )
  const rest = argv.toSpliced(place, 1)
  const actionPlace = rest.findIndex((word) => word !== '--json')
  const action = findAction(command, actionPlace >= place ? rest[actionPlace] : undefined)
  const words = action.named ? rest.toSpliced(actionPlace, 1) : rest
  const end = words.indexOf('--')
  const help = words.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h')
  return { command, action: action.found, help, parse: () => parseWords(words, command, action.found) }
}

/** A mistake in what was typed. */
export function wrongUsage(message: string): ClawbooError {
  return new ClawbooError('request_invalid', message)
}

function findAction(command: Command, word: string | undefined): { found: Action; named: boolean } {
  const [first] = command.actions
  if (word === undefined || word.startsWith('-') || first!.name === '') return { found: first!, named: false }
  const found = command.actions.find((action) => action.name === word)
  if (found) return { found, named: true }
  throw unknown(
    `action of \`clawboo ${command.name}\``,
    word,
    command.actions.map((action) => action.name),
  )
}

function parseWords(words: readonly string[], command: Command, action: Action): Arguments {
  const options: Readonly<Record<string, Option>> = { ...COMMON_OPTIONS, ...action.options }
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [
        name,
        { type: type === 'flag' ? ('boolean' as const) : ('string' as const), multiple: type === 'texts' },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const given = new Map<string, string[]>()
  const parameters: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') parameters.push(token.value)
    if (token.kind === 'option') readOption(token, options, given)
  }
  checkParameters(parameters, command, action)
  return {
    parameter: (index) => parameters[index],
    needed(index) {
      const value = parameters[index]
      if (value === undefined) throw new TypeError(`parameter ${index} is not a needed one`)
      return value
    },
    flag: (name) => given.has(name),
    text: (name) => given.get(name)?.at(-1),
    texts: (name) => given.get(name) ?? [],
  }
}

function readOption(
  token: {
    readonly name: string
    readonly rawName: string
    readonly value: string | undefined
    readonly inlineValue?: boolean | undefined
  },
  options: Readonly<Record<string, Option>>,
  given: Map<string, string[]>,
): void {
  const option = token.rawName.startsWith('--') ? options[token.name] : undefined
  if (!option) {
    const names = Object.keys(options).map((name) => `--${name}`)
    throw unknown('option', token.rawName, names)
  }
  if (option.type === 'flag' && token.value !== undefined) throw wrongUsage(`${token.rawName} takes no value`)
  if (option.type !== 'flag' && (token.value === undefined || (!token.inlineValue && /^--./.test(token.value))))
    throw wrongUsage(`${token.rawName} needs a value: ${token.rawName} <${option.value}>`)
  given.set(token.name, [...(given.get(token.name) ?? []), ...(token.value === undefined ? [] : [token.value])])
}

function checkParameters(given: readonly string[], command: Command, action: Action): void {
  const wanted = action.parameters ?? []
  const missing = wanted.slice(given.length).find((parameter) => parameter.startsWith('<'))
  const name = ['clawboo', command.name, action.name].filter(Boolean).join(' ')
  if (missing) throw wrongUsage(`${missing} is missing: ${[name, ...wanted].join(' ')}`)
  if (given.length > wanted.length)
    throw wrongUsage(`"${given[wanted.length]}" is too much: ${[name, ...wanted].join(' ')}`)
}

function unknown(kind: string, typed: string, known: readonly string[]): ClawbooError {
  const meant = closestWord(typed, known)
  return wrongUsage(`unknown ${kind} "${typed}"; ${meant ? `did you mean "${meant}"?` : 'see `clawboo help`'}`)
}
