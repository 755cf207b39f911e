import { parseArgs } from 'node:util'
import { ClawbooError } from '@clawboo/core'
import { closestWord } from './closest-word.ts'
import type { Action, Arguments, Command, Option } from './command.ts'

interface CommandLine {
  readonly command: Command
  readonly action: Action
  readonly help: boolean
  /** Parses the arguments; throws `request_invalid` when they do not fit the action. */
  readonly parse: () => Arguments
}

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  help: { type: 'flag', summary: 'show help for the command' },
  json: { type: 'flag', summary: 'print one JSON document' },
}

/**
 * Finds the command and its action. Returns null when no command is named; throws `request_invalid` for an unknown one.
 */
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
  const values = new Map<string, string[]>()
  const parameters: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') parameters.push(token.value)
    if (token.kind === 'option') readOption(token, options, values)
  }
  checkParameters(parameters, command, action)
  return {
    parameter: (index) => parameters[index],
    needed(index) {
      const value = parameters[index]
      if (value === undefined) throw new TypeError(`parameter ${index} is not required`)
      return value
    },
    flag: (name) => values.has(name),
    text: (name) => values.get(name)?.at(-1),
    texts: (name) => values.get(name) ?? [],
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
  values: Map<string, string[]>,
): void {
  const option = token.rawName.startsWith('--') ? options[token.name] : undefined
  if (!option) {
    const names = Object.keys(options).map((name) => `--${name}`)
    throw unknown('option', token.rawName, names)
  }
  if (option.type === 'flag' && token.value !== undefined) throw wrongUsage(`${token.rawName} takes no value`)
  if (option.type !== 'flag' && (token.value === undefined || (!token.inlineValue && /^--./.test(token.value))))
    throw wrongUsage(`${token.rawName} needs a value: ${token.rawName} <${option.value}>`)
  values.set(token.name, [...(values.get(token.name) ?? []), ...(token.value === undefined ? [] : [token.value])])
}

function checkParameters(values: readonly string[], command: Command, action: Action): void {
  const wanted = action.parameters ?? []
  const missing = wanted.slice(values.length).find((parameter) => parameter.startsWith('<'))
  const name = ['clawboo', command.name, action.name].filter(Boolean).join(' ')
  if (missing) throw wrongUsage(`${missing} is missing: ${[name, ...wanted].join(' ')}`)
  if (values.length > wanted.length)
    throw wrongUsage(`unexpected argument "${values[wanted.length]}": ${[name, ...wanted].join(' ')}`)
}

function unknown(kind: string, typed: string, known: readonly string[]): ClawbooError {
  const meant = closestWord(typed, known)
  return wrongUsage(`unknown ${kind} "${typed}"; ${meant ? `did you mean "${meant}"?` : 'see `clawboo help`'}`)
}
