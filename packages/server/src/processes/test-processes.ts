import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { openProcesses } from './open-processes.ts'
import type { Processes, ProcessOptions, RunningProcess } from './process.ts'
import { startProcess } from './start-process.ts'

/** Returns whether a process is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** Waits for a condition, at most until the test times out. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20)
}

/** The process ids that a command printed as `pid=…`. */
export const pidsIn = (text: string): number[] => [...text.matchAll(/pid=(\d+)/g)].map((match) => Number(match[1]))

export interface TestProcess extends RunningProcess {
  output(): string
}

/** The processes of a server with this environment. Confines children if the machine can. */
export function testProcesses(environment: Readonly<Record<string, string | undefined>> = {}): Processes {
  return openProcesses({ environment: { PATH: process.env.PATH, ...environment }, userHome: homedir(), hidden: [] })
}

/** Starts a shell command and collects its output. Not confined unless the options say so. */
export function startShell(command: string, options: Partial<ProcessOptions> = {}): TestProcess {
  let output = ''
  const running = startProcess({
    program: '/bin/sh',
    args: ['-c', command],
    cwd: '/',
    env: { PATH: process.env.PATH! },
    stdin: 'none',
    timeoutMs: 0,
    boundary: 'unconfined',
    onOutput(_stream, chunk) {
      output += chunk
    },
    ...options,
  })
  return { ...running, output: () => output }
}

/** Lists columns of `ps` for every process of the machine. */
export async function listProcesses(columns: string): Promise<string[]> {
  const child = spawn('ps', ['-A', '-ww', '-o', columns], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  return text.split('\n')
}

/** The death watchers that this process started. */
export async function listWatchers(): Promise<number[]> {
  const lines = await listProcesses('ppid=,pid=,stat=,args=')
  return lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+[^Z].*groups=/.exec(line)
    return match && Number(match[1]) === process.pid ? [Number(match[2])] : []
  })
}
