import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { scriptPrompt } from '@clawboo/scripted-model'
import { startChild } from './child-process.ts'
import type { Benchmark } from './harness.ts'
import { openNativeAgent } from './native-agent.ts'

/** With the entries of the warm-up runs and half of the measured runs, a conversation has about a thousand entries. */
const FILLED = 900
const WARM_UP_TURNS = 30
/** One run each, alternating with the baseline, so that both are measured under the same load. */
const ROUNDS = 61
/** The number of runs after which the baseline uses the current request and transcript lines. */
const REFRESH = 20
const PAUSE_MS = 20
const PROMPT = scriptPrompt([
  { say: 'One delta a word, twenty of them, so that the answer is a stream as any model would send it to us.' },
])

/**
 * A run of the native runtime, from start to done, in a conversation of 1,000 entries, against one `fetch` of the
 * same request plus one write and one fsync of the same transcript lines. The model answers at once, over loopback,
 * from a separate process.
 */
export const nativeTurn: Benchmark = {
  name: 'native-turn',
  unit: 'ms per run',
  bound: { atMost: 2 },
  rounds: ROUNDS,
  async open() {
    const model = await startChild('scripted-model-child.ts')
    const agent = await openNativeAgent(`${model.url}/v1`)
    await agent.fillSession(FILLED)
    for (let n = 0; n < WARM_UP_TURNS; n++) await agent.turn(PROMPT)
    const bare = await open(join(agent.home, 'bare.jsonl'), 'a')
    let turns = 0
    let request = await model.ask<unknown>(null)
    let lines = lastLines(await readFile(agent.transcript()), 2)
    for (let n = 0; n < WARM_UP_TURNS; n++) await bareTurn(model.url, request, bare, lines)
    return {
      async value() {
        const took = await rested(() => agent.turn(PROMPT))
        if (turns++ % REFRESH === 0) {
          request = await model.ask(null)
          lines = lastLines(await readFile(agent.transcript()), 2)
        }
        return took
      },
      baseline: () => rested(() => bareTurn(model.url, request, bare, lines)),
      async close() {
        await bare.close()
        await agent.remove()
        await model.stop()
      },
    }
  },
}

/** Waits, so that work left over from one run is not measured in the next. */
async function rested<T>(work: () => Promise<T>): Promise<T> {
  await pause(PAUSE_MS)
  return work()
}

async function bareTurn(url: string, request: unknown, file: FileHandle, lines: Buffer): Promise<number> {
  const start = performance.now()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(request)
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  const answer = await response.text()
  await file.write(lines)
  await file.sync()
  const took = performance.now() - start
  if (!answer.includes('[DONE]')) throw new Error(`the model answered ${answer.slice(0, 200)}`)
  return took
}

/** The lines that a run wrote: its prompt and its answer. */
function lastLines(file: Buffer, count: number): Buffer {
  let at = file.length - 1
  for (let left = count; left > 0; left--) at = file.lastIndexOf('\n', at - 1)
  return file.subarray(at + 1)
}
