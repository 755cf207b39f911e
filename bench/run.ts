// `npm run bench` runs every benchmark, `npm run bench -- NAME ...` only the named ones. Prints JSON lines; the exit
// code is 1 if a ratio or a figure is outside its bound.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { boardCycle } from './board-cycle.ts'
import { boardRead10k } from './board-read-10k.ts'
import { confinedExec } from './confined-exec.ts'
import { type FigureBenchmark, runFigures } from './figures.ts'
import { fleetRead1k } from './fleet-read-1k.ts'
import { fleetReadGrowth } from './fleet-read-growth.ts'
import { gateReplay } from './gate-replay.ts'
import { type Benchmark, holds, runBenchmark } from './harness.ts'
import { idleRss } from './idle-rss.ts'
import { mcpCall } from './mcp-call.ts'
import { nativeFeedLag } from './native-feed-lag.ts'
import { nativeFirstDelta } from './native-first-delta.ts'
import { nativeMemory } from './native-memory.ts'
import { nativeTurn } from './native-turn.ts'
import { roomFanout50 } from './room-fanout-50.ts'
import { roomPost } from './room-post.ts'
import { roomPostMcp } from './room-post-mcp.ts'
import { roomReadGrowth } from './room-read-growth.ts'
import { sseFanout100 } from './sse-fanout-100.ts'
import { warmStart } from './warm-start.ts'

const OWN: readonly Benchmark[] = [
  fleetRead1k,
  fleetReadGrowth,
  sseFanout100,
  idleRss,
  warmStart,
  nativeTurn,
  nativeFirstDelta,
  nativeFeedLag,
  nativeMemory,
  boardCycle,
  boardRead10k,
  mcpCall,
  roomPost,
  roomPostMcp,
  roomReadGrowth,
  roomFanout50,
]

const FIGURES: readonly FigureBenchmark[] = [confinedExec, gateReplay]

/** Loads the benchmarks from the folders of the integrations, because no other file may name an integration. */
async function ofIntegrations(): Promise<Benchmark[]> {
  const root = join(import.meta.dirname, '..')
  const files = globSync('packages/server/src/integrations/*/stand-in/test-benchmarks.ts', { cwd: root }).sort()
  const found = await Promise.all(files.map((file) => import(join(root, file)) as Promise<{ BENCHMARKS: Benchmark[] }>))
  return found.flatMap(({ BENCHMARKS }) => BENCHMARKS)
}

const BENCHMARKS = [...OWN, ...(await ofIntegrations())]
const wanted = process.argv.slice(2)
const known = [...BENCHMARKS, ...FIGURES].map(({ name }) => name)
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`bench: no benchmark named ${unknown.join(', ')}; known: ${known.join(', ')}\n`)
  process.exit(2)
}
for (const benchmark of BENCHMARKS) {
  if (wanted.length > 0 && !wanted.includes(benchmark.name)) continue
  const result = await runBenchmark(benchmark)
  process.stdout.write(`${JSON.stringify(result)}\n`)
  if (holds(benchmark.bound, result.ratio)) continue
  process.stderr.write(
    `bench: ${benchmark.name} has a ratio of ${result.ratio}, outside ${JSON.stringify(benchmark.bound)}\n`,
  )
  process.exitCode = 1
}
for (const benchmark of FIGURES) {
  if (wanted.length > 0 && !wanted.includes(benchmark.name)) continue
  if (!(await runFigures(benchmark))) process.exitCode = 1
}
