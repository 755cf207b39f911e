import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { Context } from '../command.ts'
import { print } from './print.ts'

/** Asks on the terminal without echoing what is typed. Returns null when nothing is entered. */
export async function askSecret(question: string, { stdin, stderr }: Context): Promise<string | null> {
  // readline turns the echo off; anything it would draw itself is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true })
  try {
    // Prompt only once the echo is off, because a person may type at once.
    await print(stderr, `${question}: `)
    return (await terminal.question('')).trim() || null
  } catch (error) {
    // Ctrl-C and Ctrl-D mean no answer.
    if ((error as NodeJS.ErrnoException).code === 'ABORT_ERR') return null
    throw error
  } finally {
    terminal.close()
    await print(stderr, '\n')
  }
}

/** Reads a secret from piped input. Returns null when the input is empty. */
export async function readSecret({ stdin }: Context): Promise<string | null> {
  return (await readAll(stdin)).trim() || null
}
