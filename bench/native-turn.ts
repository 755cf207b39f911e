import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { scriptPrompt } from '@clawboo/scripted-model'
import { startChild } from './child-process.ts'
import type { Benchmark } from './harness.ts'
import { openNativeAgent } from './native-agent.ts'

/** With those of the first turns, and half of those of the measured ones, a thousand. */
const FILLED = 900
const WARM_UP_TURNS = 30
/** One turn each, in turn with the baseline's, so that both see the same machine. */
const ROUNDS = 61
/** After so many turns the baseline takes over what is sent and written by then. */
const REFRESH = 20
const PAUSE_MS = 20
const PROMPT = scriptPrompt([
  { say: 'One delta a word, twenty of them, so that the answer is a stream as any model would send it to us.' },
])

/**
 * A turn of the native runtime, from start to done, in a conversation of 1,000 entries, against one `fetch` of the very
 * same request plus one write and one fsync of the very same transcript lines. The model answers at once, over loopback,
 * from a process of its own.
 */
export const nativeTurn: Benchmark = {
  name: 'native-turn',
  unit: 'ms per turn',
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

/** What a turn leaves to be done after its end must not fall on the next. */
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

/** What a turn wrote: its prompt and its answer. */
function lastLines(file: Buffer, count: number): Buffer {
  let at = file.length - 1
  for (let left = count; left > 0; left--) at = file.lastIndexOf('\n', at - 1)
  return file.subarray(at + 1)
}
