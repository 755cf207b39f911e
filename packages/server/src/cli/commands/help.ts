import { closestWord } from '../closest-word.ts'
import { type Command, done } from '../command.ts'
import { commandText, overviewText } from '../help-text.ts'
import { wrongUsage } from '../parse-arguments.ts'

/** Takes a function, because the list contains this command. */
export function createHelpCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    summary: 'show help for Clawboo or for one command',
    actions: [
      {
        name: '',
        summary: 'Prints the list of commands, or the help of one.',
        parameters: ['[command]'],
        async run(args) {
          const name = args.parameter(0)
          if (name === undefined) return helped(overviewText(commands()))
          const command = commands().find((known) => known.name === name)
          if (command) return helped(commandText(command))
          const meant = closestWord(
            name,
            commands().map((known) => known.name),
          )
          throw wrongUsage(`unknown command "${name}"${meant ? `; did you mean "${meant}"?` : ''}`)
        },
      },
    ],
    examples: ['help', 'help backup'],
  }
}

function helped(text: string) {
  return done({ help: text }, text)
}
