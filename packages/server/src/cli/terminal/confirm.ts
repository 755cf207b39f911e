import { createInterface } from 'node:readline/promises'
import type { Arguments, Context } from '../command.ts'
import { wrongUsage } from '../parse-arguments.ts'

/** Asks before deleting data. `--yes` answers; without a terminal nobody can answer, so the command is refused. */
export async function confirm(question: string, args: Arguments, context: Context): Promise<boolean> {
  if (args.flag('yes')) return true
  if (!context.stdin.isTTY || !context.stderr.isTTY) throw wrongUsage(`${question} Add --yes to confirm.`)
  const terminal = createInterface({ input: context.stdin, output: context.stderr })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } catch (error) {
    // Ctrl-C and Ctrl-D mean no.
    if ((error as NodeJS.ErrnoException).code === 'ABORT_ERR') return false
    throw error
  } finally {
    terminal.close()
  }
}

export const YES_OPTION = { yes: { type: 'flag', summary: 'skip the confirmation' } } as const
