import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScriptTurn } from '@clawboo/scripted-model'

/** Longer than any test step, so that the Gateway waits for the command instead of continuing without it. */
const WAITED_FOR_MS = 110_000

/** A command that runs until it is released, for steps that must happen meanwhile on a machine of any speed. */
export function heldCommand(folder: string): { readonly turn: ScriptTurn; release(): Promise<void> } {
  const file = join(folder, `released-${randomUUID()}`)
  const command = `while [ ! -e '${file}' ]; do sleep 0.1; done`
  return {
    turn: [{ callTool: 'exec', with: { command, yieldMs: WAITED_FOR_MS } }],
    release: () => writeFile(file, ''),
  }
}
