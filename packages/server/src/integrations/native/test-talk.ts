import {
  type DoneEvent,
  type ErrorEvent,
  endsRun,
  type RunGuard,
  type RunHandle,
  type RuntimeEvent,
  type StartOptions,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { NO_FILES, type TestRuntime } from './test-runtime.ts'

export interface TalkOptions extends Partial<Pick<StartOptions, 'model' | 'verbose' | 'folder' | 'hostTools'>> {
  readonly sessionKey?: string
  readonly guard?: RunGuard
}

export interface Talk {
  readonly handle: RunHandle
  /** The events so far. */
  readonly events: readonly RuntimeEvent[]
  /** Resolves when a matching event exists; rejects when the run ended without one. */
  until(matches: (event: RuntimeEvent) => boolean): Promise<void>
  end(): Promise<DoneEvent | ErrorEvent>
}

let messages = 0

/** Sends a message to an agent as the host does. */
export async function talk(
  { runtime }: Pick<TestRuntime, 'runtime'>,
  agent: AgentRecord,
  text: string,
  options: TalkOptions = {},
): Promise<Talk> {
  const { sessionKey = `agent:${agent.id}:main`, guard = { mayCallModel: async () => null }, ...rest } = options
  const id = `message-${++messages}`
  const handle = await runtime.start(
    { agent, files: NO_FILES, sessionKey, prompt: { id, text } },
    { runId: `run-of-${id}`, guard, resume: null, home: null, folder: null, ...rest },
  )
  const events: RuntimeEvent[] = []
  let wake = Promise.withResolvers<void>()
  const read = async () => {
    for await (const event of runtime.events(handle)) {
      events.push(event)
      wake.resolve()
      wake = Promise.withResolvers()
    }
  }
  const reading = read()
  return {
    handle,
    events,
    async until(matches) {
      for (;;) {
        const next = wake.promise
        if (events.some(matches)) return
        if (events.some(endsRun)) throw new Error('the run ended without it')
        await next
      }
    },
    async end() {
      await reading
      return events.at(-1) as RuntimeEvent & (DoneEvent | ErrorEvent)
    },
  }
}

/** Sends a message and waits for the end of the run. */
export async function say(...words: Parameters<typeof talk>) {
  const run = await talk(...words)
  const end = await run.end()
  return { events: run.events, end, text: end.type === 'done' ? end.text : `failed: ${end.message}` }
}

/** The details of the status events of a kind. */
export function detailsOf(events: readonly RuntimeEvent[], state: string): string[] {
  return events.flatMap((event) => (event.type === 'status' && event.state === state ? [event.detail ?? ''] : []))
}
