import { VERSION } from '../../version.ts'
import { type Command, done } from '../command.ts'

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  actions: [
    { name: '', summary: 'Prints the version of this program.', run: async () => done({ version: VERSION }, VERSION) },
  ],
  examples: ['version', 'version --json'],
}
