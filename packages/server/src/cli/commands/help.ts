import { closestWord } from '../closest-word.ts'
import { type Command, done } from '../command.ts'
import { commandText, overviewText } from '../help-text.ts'
import { wrongUsage } from '../parse-arguments.ts'

/** Takes the list as a function, because it is itself on it. */
export function createHelpCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'help',
    summary: 'say what there is, or what one command does',
    actions: [
      {
        name: '',
        summary: 'Prints the list of commands, or all about one.',
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
