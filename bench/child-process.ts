import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program of this folder in a separate process. Its first message is its address. */
export interface BenchChild {
  readonly url: string
  readonly pid: number
  /** Sends a message and resolves to the response. */
  ask<T>(message: unknown): Promise<T>
  stop(): Promise<void>
}

export async function startChild(program: string, ...words: string[]): Promise<BenchChild> {
  const child: ChildProcess = fork(join(import.meta.dirname, program), words, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const [url] = (await once(child, 'message')) as [string]
  return {
    url,
    pid: child.pid!,
    async ask<T>(message: unknown) {
      const answered = once(child, 'message')
      child.send(message as string)
      return (await answered)[0] as T
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
