import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { confinedTreeOf } from './confined-tree.ts'
import type { Confined, LimitName } from './confinement/confinement.ts'
import { watchLimits } from './confinement/watch-limits.ts'
import { createDeathWatch } from './death-watch.ts'
import type { ProcessOptions } from './process.ts'
import { type ProcessTree, signalGroup, treeOf } from './process-tree.ts'

/** A child of any boundary, right after its start. */
export interface StartedChild {
  readonly child: ChildProcess
  /** null when nothing was started. */
  readonly tree: ProcessTree | null
  /** Resolves when the program may run. Rejects, and the program never runs, when nothing would end it after a crash. */
  readonly ready: Promise<void>
  /** The bound at which the tree was ended. */
  limit(): LimitName | null
  /** The reason why an ended child did not run its program. */
  problem(): string | null
  /** Call this when the tree is gone. */
  forget(): void
}

/** Marks every untrusted child, and shows a program that it runs for an agent. */
const MARK_NAME = 'CLAWBOO_EXEC'

/** The child waits for one line before it becomes the program, so that the death watch knows its group by then. */
const GATE = 'IFS= read -r go <&3 || exit 125; exec 3<&-; exec "$@"'

const server = randomBytes(12).toString('hex')
const deathWatch = createDeathWatch(`${MARK_NAME}=${server}`)
let started = 0

export function startChild(options: ProcessOptions): StartedChild {
  if (options.boundary === 'trusted') return startTrusted(options)
  if (options.boundary === 'unconfined') return startUnconfined(options)
  return startConfined(options, options.boundary)
}

const NO_LIMIT = { limit: () => null, problem: () => null }

function startTrusted({ program, args, cwd, env, stdin }: ProcessOptions): StartedChild {
  const child = spawn(program, args, { ...common(cwd), env, stdio: [inputOf(stdin), 'pipe', 'pipe'] })
  const { pid } = child
  // Not awaited, so that the program starts faster. If the watch fails, the program still ends on its own.
  if (pid !== undefined) deathWatch.add(pid, 'finish').catch(() => {})
  const tree = pid === undefined ? null : treeOf(pid, null)
  return { child, tree, ready: Promise.resolve(), ...NO_LIMIT, forget: () => unwatch(pid) }
}

function startUnconfined({ program, args, cwd, env, stdin }: ProcessOptions): StartedChild {
  const value = `${server}${++started}`
  const child = spawn('/bin/sh', ['-c', GATE, 'sh', program, ...args], {
    ...common(cwd),
    env: { ...env, [MARK_NAME]: value },
    stdio: [inputOf(stdin), 'pipe', 'pipe', 'pipe'],
  })
  const { pid } = child
  const tree = pid === undefined ? null : treeOf(pid, `${MARK_NAME}=${value}`)
  return { child, tree, ready: openGate(child), ...NO_LIMIT, forget: () => unwatch(pid) }
}

async function openGate(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return
  const gate = child.stdio[3] as Writable
  // The child may be stopped before it reads the line.
  gate.on('error', () => {})
  await deathWatch.add(child.pid, 'kill')
  gate.end('go\n')
}

/** The kernel ends a confined tree with its wrapper; the death watch is for a wrapper that was not yet set up. */
function startConfined(options: ProcessOptions, { confiner, reach }: Confined): StartedChild {
  const { program, args, cwd, env, stdin } = options
  const wrapped = confiner.wrap({ program, args, cwd, path: env.PATH ?? '' }, reach)
  const child = spawn(wrapped.program, wrapped.args, {
    ...common('/'),
    env: { ...env, ...wrapped.env, [MARK_NAME]: `${server}${++started}` },
    stdio: [inputOf(stdin), 'pipe', 'pipe', 'pipe'],
  })
  const { pid } = child
  let written = ''
  const status = () => wrapped.readStatus(written)
  const output = child.stdio[3] as Readable
  output.on('data', (chunk: Buffer) => {
    written += chunk
  })
  // The wrapper ends this pipe; a broken one leaves the status incomplete, which counts as not run.
  output.on('error', () => {})
  // Without a watch the kernel still ends the tree with its wrapper.
  if (pid !== undefined) deathWatch.add(pid, 'kill').catch(() => {})
  const watch = pid === undefined ? null : watchLimits(pid, reach, () => void signalGroup(pid, 'SIGKILL'))
  return {
    child,
    tree: pid === undefined ? null : confinedTreeOf(pid, status),
    ready: Promise.resolve(),
    limit: () => watch?.reached() ?? null,
    problem: () => (child.signalCode !== null || status().hasEnded ? null : 'confinement'),
    forget() {
      watch?.stop()
      unwatch(pid)
    },
  }
}

function common(cwd: string): SpawnOptions {
  return { cwd, detached: true }
}

function inputOf(stdin: ProcessOptions['stdin']): 'ignore' | 'pipe' {
  return stdin === 'none' ? 'ignore' : 'pipe'
}

function unwatch(pid: number | undefined): void {
  if (pid !== undefined) deathWatch.remove(pid)
}
