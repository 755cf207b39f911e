import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { RuntimeAdapter, RuntimeEvent, TaskHandle } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import { secretsByIntegration } from '../packages/server/src/access/integration-secrets.ts'
import { prepareRunInput } from '../packages/server/src/executor/run/prepare-run-input.ts'
import type { Message } from '../packages/server/src/integrations/native/session/message.ts'
import { openSession, type Session } from '../packages/server/src/integrations/native/session/session.ts'
import { openSessionIndex } from '../packages/server/src/integrations/native/session/session-index.ts'
import { openEventLog } from '../packages/server/src/live/event-log.ts'
import { openIntegrations } from '../packages/server/src/open-integrations.ts'
import { openProcesses } from '../packages/server/src/processes/open-processes.ts'
import { createRecordChange } from '../packages/server/src/registry/record-change.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { removeHome, temporaryHome } from '../test/server-process.ts'

/** One agent of the native runtime in this process, with a real store and a separate home. */
export interface NativeAgent {
  readonly home: string
  transcript(): string
  /** Fills the conversation with this many entries before its first run. */
  fillSession(entries: number): Promise<void>
  /** Resolves to the milliseconds from the start to the end of the run. */
  turn(text: string): Promise<number>
  remove(): Promise<void>
}

export async function openNativeAgent(modelUrl: string): Promise<NativeAgent> {
  const home = await temporaryHome()
  const store = await openStore({ sqliteFile: join(home, 'clawboo.sqlite') })
  const log = await openEventLog(store)
  const record = createRecordChange(store, log)
  const machine = { environment: { PATH: process.env.PATH }, userHome: home, timeZone: 'UTC' }
  const { sources, runtimes, modelProviders } = openIntegrations({
    store,
    record,
    secretsOf: secretsByIntegration(home, null),
    runtimesFolder: join(home, 'runtimes'),
    processes: openProcesses({ ...machine, hidden: [] }),
    machine,
  })
  await (await modelProviders!.load()).save('bench', {
    label: 'Bench',
    baseUrl: modelUrl,
    models: [{ id: 'boo', contextWindowTokens: 400_000 }],
  })
  const agent = await sources.default().createAgent({ name: 'Ada', execConfig: { model: 'bench/boo' } })
  const runtime = await runtimes.get(agent.runtime).load()
  const options = { store, runtimesFolder: join(home, 'runtimes') }
  const { files, home: ownHome } = await prepareRunInput(options, agent, runtimes.get(agent.runtime))
  const folder = join(home, 'runtimes', agent.runtime, agent.id)
  let file = ''
  return {
    home,
    transcript: () => file,
    async fillSession(entries) {
      const sessions = join(folder, 'sessions')
      const { sessionId } = await (await openSessionIndex(sessions, { now: Date.now })).ensure(keyOf(agent))
      const session = await openSession(sessions, sessionId, { cwd: join(folder, 'workspace'), now: Date.now })
      file = session.file
      await fill(session, entries)
      await session.close()
    },
    turn: (text) => takeTurn(runtime, { agent, files }, ownHome, text),
    async remove() {
      await runtimes.dispose()
      await log.close()
      await store.close()
      await removeHome(home)
    },
  }
}

async function takeTurn(
  runtime: RuntimeAdapter,
  who: Pick<TaskHandle, 'agent' | 'files'>,
  home: string | null,
  text: string,
): Promise<number> {
  const task = { ...who, sessionKey: keyOf(who.agent), prompt: { id: randomUUID(), text } }
  const guard = { mayCallModel: async () => null }
  const start = performance.now()
  const run = await runtime.start(task, { runId: randomUUID(), guard, resume: null, home, folder: null })
  let last: RuntimeEvent | null = null
  for await (const event of runtime.events(run)) last = event
  const took = performance.now() - start
  if (last?.type !== 'done' || last.outcome !== 'completed') throw new Error(`a run ended with ${JSON.stringify(last)}`)
  return took
}

function keyOf(agent: AgentRecord): string {
  return agent.sessionKey!
}

const WORDS = 'What was asked for is done, and what is left is written down below, one thing after the other. '
const usage = { input: 900, output: 60, cacheRead: 0, cacheWrite: 0, totalTokens: 960, costUsd: 0 }

/** A typical conversation: a question, a tool call with its result, an answer. */
async function fill(session: Session, entries: number): Promise<void> {
  const text = (times: number) => [{ type: 'text', text: WORDS.repeat(times) } as const]
  const answer = { role: 'assistant', provider: 'bench', model: 'boo', usage, timestamp: 1 } as const
  const kinds: readonly ((n: number) => Message)[] = [
    (n) => ({ role: 'user', content: text(2), messageId: `filled-${n}`, timestamp: 1 }),
    (n) => {
      const call = { type: 'toolCall', id: `call_${n}`, name: 'read', arguments: { path: `notes/${n}.txt` } } as const
      return { ...answer, content: [...text(1), call], stopReason: 'toolUse' }
    },
    (n) => ({
      role: 'toolResult',
      toolCallId: `call_${n - 1}`,
      toolName: 'read',
      content: text(3),
      isError: false,
      timestamp: 1,
    }),
    () => ({ ...answer, content: text(2), stopReason: 'stop' }),
  ]
  await session.append(...Array.from({ length: entries }, (_, n) => kinds[n % kinds.length]!(n)))
}
