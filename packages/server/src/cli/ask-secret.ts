import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { Context } from './command.ts'
import { print } from './print.ts'

/** Asks on the terminal and shows nothing of what is typed. Null for no answer. */
export async function askSecret(question: string, { stdin, stderr }: Context): Promise<string | null> {
  // Its own terminal switches the echo off; what it would draw instead goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true })
  try {
    // Not before the echo is off: somebody may type at once.
    await print(stderr, `${question}: `)
    return (await terminal.question('')).trim() || null
  } catch (error) {
    // Ctrl-C and Ctrl-D are an answer.
    if ((error as NodeJS.ErrnoException).code === 'ABORT_ERR') return null
    throw error
  } finally {
    terminal.close()
    await print(stderr, '\n')
  }
}

/** What stands in the input, for a command that no person sits before. Null when it is empty. */
export async function readSecret({ stdin }: Context): Promise<string | null> {
  return (await readAll(stdin)).trim() || null
}
