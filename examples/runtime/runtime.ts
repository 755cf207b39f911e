import {
  type Prompt,
  type RuntimeAdapter,
  type RuntimeEvent,
  type RuntimeEventBody,
  SingleConsumerQueue,
  type TaskHandle,
} from '@clawboo/core/executor'
import type { IntegrationHost } from '../../packages/server/src/integrations/host.ts'
import { ECHO_DESCRIPTOR } from './descriptor.ts'

const { id, participantKind, claims } = ECHO_DESCRIPTOR

export function createEchoRuntime({ now }: Pick<IntegrationHost, 'now'>): RuntimeAdapter {
  const runs = new Map<string, EchoRun>()
  return {
    id,
    participantKind,
    capabilities: () => claims,
    health: async () => ({ state: 'ready', detail: null }),
    async start(task, { runId }) {
      runs.set(runId, new EchoRun(runId, task, now))
      return { runId, sessionId: null }
    },
    events({ runId }) {
      const run = runs.get(runId)
      if (!run) throw new TypeError(`there is no run "${runId}"`)
      runs.delete(runId)
      return run.events
    },
    // A run ends in the tick in which it starts, so there is never one to abort.
    abort: async () => {},
  }
}

/** One run: the prompt arrives, one message is written, and one event ends it. */
class EchoRun {
  readonly events = new SingleConsumerQueue<RuntimeEvent>()
  readonly #runId: string
  readonly #now: () => number
  #seq = 0

  constructor(runId: string, { files, prompt }: TaskHandle, now: () => number) {
    this.#runId = runId
    this.#now = now
    this.#emit({ type: 'status', state: 'started' })
    this.#emit({ type: 'status', state: 'prompt-delivered', promptId: prompt.id, detail: prompt.text })
    const text = answer(files['SOUL.md'], prompt)
    this.#emit({ type: 'text-delta', message: 0, offset: 0, text })
    this.#emit({ type: 'done', outcome: 'completed', reason: null, text, undelivered: [] })
    this.events.end()
  }

  #emit(body: RuntimeEventBody): void {
    this.#seq += 1
    this.events.push({ runId: this.#runId, sessionId: null, ts: this.#now(), seq: this.#seq, ...body })
  }
}

function answer(soul: string | null, { text }: Prompt): string {
  const [firstLine = ''] = soul?.split('\n') ?? []
  return `${firstLine}\nYou said: ${text}`
}
