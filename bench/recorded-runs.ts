import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { GatedTool } from '@clawboo/core/tool-gate'

/** One recorded run of a model with tools. The README next to the data explains every field. */
export interface RecordedRun {
  readonly suite: string
  readonly kind: 'attack' | 'benign' | 'resisted'
  readonly user: string
  readonly system: string
  readonly steps: readonly RecordedStep[]
  readonly harmful: readonly number[]
  readonly effect: number | null
}

export interface RecordedStep {
  readonly call: { readonly tool: string; readonly args: unknown }
  readonly result: string | null
  readonly turn: number
}

export interface Recordings {
  readonly runs: readonly RecordedRun[]
  readonly toolsBySuite: Readonly<Record<string, readonly GatedTool[]>>
  readonly systems: Readonly<Record<string, string>>
}

/** Null if there are no recordings on this machine: they are not a part of the product. */
export function readRecordings(): Recordings | null {
  const folder = process.env.CLAWBOO_GATE_DATA ?? join(import.meta.dirname, '..', '..', 'shared', 'data', 'gate')
  const file = join(folder, 'dev.jsonl.gz')
  if (!existsSync(file)) return null
  const json = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n')
  return { runs: lines.map((line) => JSON.parse(line)), toolsBySuite: json('tools.json'), systems: json('system.json') }
}
