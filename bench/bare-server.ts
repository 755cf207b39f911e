import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface BareServer {
  readonly url: string
  stop(): Promise<void>
}

/** Runs a program in a separate process. The program prints its port as its first line. */
export async function startBareServer(program: string, argument = ''): Promise<BareServer> {
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', program, '--', argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return {
    url: `http://127.0.0.1:${line}`,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
