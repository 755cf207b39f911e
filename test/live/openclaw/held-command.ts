import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScriptTurn } from '@clawboo/scripted-model'

/** Longer than any step of a test takes: until then the Gateway waits for a command instead of going on without it. */
const WAITED_FOR_MS = 110_000

/** A command that is at work until it is released: for what has to happen meanwhile, however slow the machine is. */
export function heldCommand(folder: string): { readonly turn: ScriptTurn; release(): Promise<void> } {
  const file = join(folder, `released-${randomUUID()}`)
  const command = `while [ ! -e '${file}' ]; do sleep 0.1; done`
  return {
    turn: [{ callTool: 'exec', with: { command, yieldMs: WAITED_FOR_MS } }],
    release: () => writeFile(file, ''),
  }
}
