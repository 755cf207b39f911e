import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProcesses } from '../packages/server/src/processes/open-processes.ts'
import type { Boundary } from '../packages/server/src/processes/process.ts'
import type { FigureBenchmark } from './figures.ts'
import { median } from './harness.ts'

const ROUNDS = 60
const MOST_EXTRA_MS = 60

/** The time that confinement adds to a command that does nothing. Rounds alternate, so other load affects both. */
export const confinedExec: FigureBenchmark = {
  name: 'confined-exec',
  async measure() {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'clawboo-bench-')))
    const environment = { PATH: process.env.PATH }
    const processes = openProcesses({ environment, userHome: homedir(), hidden: [] })
    const confinement = await processes.confinement()
    if (!confinement.isOn) return { lines: [{ measured: false, reason: confinement.reason }], missed: [] }
    const confined = confinement.confine({ writable: [folder], readable: [], proxySocket: null })
    const timeOf = async (boundary: Boundary) => {
      const startedAt = performance.now()
      const { ended } = processes.start({
        program: 'true',
        args: [],
        cwd: folder,
        env: processes.environment(),
        stdin: 'none',
        timeoutMs: 0,
        onOutput: () => {},
        boundary,
      })
      const { exitCode } = await ended
      if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`)
      return performance.now() - startedAt
    }
    const times = { confined: [] as number[], bare: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      times.bare.push(await timeOf('trusted'))
      times.confined.push(await timeOf(confined))
    }
    await rm(folder, { recursive: true, force: true })
    const [value, baseline] = [median(times.confined), median(times.bare)]
    const extra = value - baseline
    const line = { value: rounded(value), unit: 'ms', baseline: rounded(baseline), extra: rounded(extra) }
    const missed = extra > MOST_EXTRA_MS ? [`confinement adds ${rounded(extra)} ms, more than ${MOST_EXTRA_MS}`] : []
    return { lines: [line], missed }
  },
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
