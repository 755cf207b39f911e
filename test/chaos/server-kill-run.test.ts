import { globSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { MessageMode } from '@clawboo/core/executor'
import { scriptPrompt } from '@clawboo/scripted-model'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { expect, test } from 'vitest'
import { isSoak, testSeed } from '../seed.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { createRandom, type Random } from './random.ts'
import { openCallsOf } from './round-notes.ts'
import { transcriptMessages } from './transcript-lines.ts'

const ROUNDS = isSoak ? 60 : 3
const AGENTS = 2
const MODES: readonly MessageMode[] = ['steer', 'steer', 'followup', 'collect', 'interrupt']

/** By message id: whether the server acknowledged it. */
type Sent = Map<string, { readonly agentId: string; accepted: boolean }>

test(
  `[CV2] ${ROUNDS} kills of a busy server deliver every accepted message once or report it, end its runs and leave no agent running`,
  async () => {
    const random = createRandom(testSeed)
    const home = await temporaryHome()
    const model = await startScriptedModel()
    const sent: Sent = new Map()
    try {
      let server = await startServer({ home })
      const agentIds = await prepare(server, model)
      for (let round = 0; round < ROUNDS; round++) {
        const talking = talk(server, agentIds, sent, random)
        await pause(50 + random.below(900))
        const underWay = await server.client.listRuns({ query: { state: 'running' } }).catch(() => ({ runs: [] }))
        await server.kill()
        await talking
        server = await startServer({ home })
        await expectInterrupted(
          server,
          underWay.runs.map(({ id }) => id),
        )
      }
      await comeToRest(server, agentIds)
      // The next message repairs a conversation that a kill interrupted.
      for (const agentId of agentIds) await sayLast(server, agentId)
      await comeToRest(server, agentIds)
      await expectAccountedFor(server, agentIds, sent)
      expect(await server.stop()).toBe(0)
      for (const agentId of agentIds) await expectOnce(home, agentId, sent)
    } catch (error) {
      throw new Error(`Repeat it with CLAWBOO_TEST_SEED=${testSeed}.`, { cause: error })
    } finally {
      await model.close()
      await removeHome(home)
    }
  },
  isSoak ? 1_800_000 : 120_000,
)

async function prepare({ client }: ServerProcess, model: ScriptedModel): Promise<string[]> {
  const body = { label: 'Scripted', baseUrl: `${model.url}/v1`, models: [{ id: 'boo' }] }
  await client.saveProvider({ params: { providerId: 'scripted' }, body })
  await client.setModelDefaults({ body: { defaultModel: 'scripted/boo' } })
  const agents = Array.from({ length: AGENTS }, (_, at) =>
    client.createAgent({ body: { name: `Boo ${at}`, execConfig: { exec: { ask: 'on-miss' } } } }),
  )
  return (await Promise.all(agents)).map(({ id }) => id)
}

/** Sends one message after another until the server is gone. */
async function talk({ client }: ServerProcess, agentIds: readonly string[], sent: Sent, random: Random): Promise<void> {
  for (;;) {
    const agentId = agentIds[random.below(agentIds.length)]!
    const id = `message-${sent.size}`
    const message = { agentId, accepted: false }
    sent.set(id, message)
    const body = { id, text: scriptPrompt(script(random), `<${id}>`), mode: MODES[random.below(MODES.length)]! }
    const outcome = await client.sendMessage({ params: { agentId }, body }).catch((error: unknown) => error as Error)
    if (outcome instanceof Error && !('status' in outcome && Number(outcome.status) > 0)) return
    if (!(outcome instanceof Error)) message.accepted = true
    await pause(random.below(120))
  }
}

async function sayLast({ client }: ServerProcess, agentId: string): Promise<void> {
  await client.sendMessage({
    params: { agentId },
    body: { text: scriptPrompt([[{ say: 'Good night.' }]], 'Good night.') },
  })
}

function script(random: Random) {
  const turn = (at: number) => [
    { say: 'Working. ' },
    { wait: random.below(60) },
    { callTool: 'write', with: { path: `note-${at}.txt`, content: `${random.below(1e6)}` } },
  ]
  return [
    ...Array.from({ length: random.below(3) }, (_, at) => turn(at)),
    [{ wait: random.below(60) }, { say: 'Done.' }],
  ]
}

async function expectInterrupted({ client }: ServerProcess, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const { run } = await client.getRun({ params: { runId } })
    expect({ runId, state: run.state }).toEqual({ runId, state: 'ended' })
    // The run may have ended between the request and the kill.
    expect(['interrupted', 'completed', 'aborted']).toContain(run.outcome)
  }
}

async function comeToRest({ client }: ServerProcess, agentIds: readonly string[]): Promise<void> {
  for (const agentId of agentIds) {
    for (;;) {
      const { messages } = await client.listMessages({ params: { agentId }, query: { limit: 200 } })
      const { runs } = await client.listRuns({ query: { agentId, state: 'running' } })
      const waits = messages.some(({ state }) => state === 'queued' || state === 'delivering')
      if (!waits && runs.length === 0) break
      await pause(50)
    }
    const agent = await client.getAgent({ params: { agentId } })
    expect(agent.status).not.toBe('running')
  }
}

/** Checks that every accepted message is stored, and that a person can see each one that was not delivered. */
async function expectAccountedFor({ client }: ServerProcess, agentIds: readonly string[], sent: Sent): Promise<void> {
  const { items } = await client.listAttention({ query: { state: 'open', limit: 200 } })
  const reported = new Set(items.map(({ subjectId }) => subjectId))
  const known = new Set<string>()
  for (const agentId of agentIds) {
    const { messages } = await client.listMessages({ params: { agentId }, query: { limit: 200 } })
    for (const { id, state } of messages) {
      known.add(id)
      if (state !== 'delivered' && state !== 'dropped')
        expect({ id, state, reported: reported.has(id) }).toEqual({ id, state, reported: true })
    }
  }
  const newest = [...sent].filter(([, { accepted }]) => accepted).slice(-100)
  for (const [id] of newest) expect({ id, there: known.has(id) }).toEqual({ id, there: true })
}

/** Checks that a transcript has no message twice, and has every accepted message that was not dropped. */
async function expectOnce(home: string, agentId: string, sent: Sent): Promise<void> {
  const files = globSync(`${home}/runtimes/*/${agentId}/sessions/*.jsonl`)
  const messages = (await Promise.all(files.map(transcriptMessages))).flat()
  expect(openCallsOf(messages)).toEqual([])
  const texts = messages.flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  )
  const deliveredIds = texts.flatMap((text) =>
    [...text.replace(/^- .*$/gm, '').matchAll(/<(message-\d+)>/g)].map((m) => m[1]!),
  )
  expect(deliveredIds.filter((id, at) => deliveredIds.indexOf(id) !== at)).toEqual([])
  expect(deliveredIds.length).toBeGreaterThan(0)
  expect(deliveredIds.filter((id) => sent.get(id)?.agentId !== agentId)).toEqual([])
}
