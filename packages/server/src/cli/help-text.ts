import type { Action, Command, Option } from './command.ts'
import { EXIT_CODE_MEANINGS } from './exit-codes.ts'
import { COMMON_OPTIONS } from './parse-arguments.ts'
import { formatColumns } from './terminal/format-columns.ts'

export function overviewText(commands: readonly Command[]): string {
  return [
    'clawboo: teams of AI agents on your own machine',
    '',
    'Commands:',
    indent(formatColumns(commands.map((command) => [command.name, command.summary]))),
    '',
    'Options for every command:',
    indent(optionLines(COMMON_OPTIONS)),
    '',
    'Exit codes:',
    indent(formatColumns(Object.entries(EXIT_CODE_MEANINGS))),
    '',
    'The home folder is ~/.clawboo, or the folder in CLAWBOO_HOME.',
    'Start with `clawboo start`. Run `clawboo help <command>` for more.',
  ].join('\n')
}

export function commandText(command: Command): string {
  const blocks = command.actions.map((action) => actionText(command, action))
  return [
    `clawboo ${command.name}: ${command.summary}`,
    ...blocks,
    ...(command.notes ? ['', ...command.notes] : []),
    '',
    'Examples:',
    ...command.examples.map((example) => `  clawboo ${example}`),
  ].join('\n')
}

function actionText(command: Command, action: Action): string {
  const words = ['clawboo', command.name, action.name, ...(action.parameters ?? [])].filter(Boolean)
  const options = Object.keys(action.options ?? {}).length > 0 ? ['', indent(optionLines(action.options!))] : []
  const isDefault = action === command.actions[0] && action.name !== ''
  return ['', words.join(' '), `  ${action.summary}${isDefault ? ' (the default)' : ''}`, ...options].join('\n')
}

function optionLines(options: Readonly<Record<string, Option>>): string {
  return formatColumns(
    Object.entries(options).map(([name, { type, value, summary }]) => [
      type === 'flag' ? `--${name}` : `--${name} <${value}>`,
      type === 'texts' ? `${summary} (repeatable)` : summary,
    ]),
  )
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
