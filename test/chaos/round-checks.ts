import type { MessageMode } from '@clawboo/core/executor'
import { expect } from 'vitest'
import type { Message } from '../../packages/server/src/integrations/native/session/message.ts'
import { openSession } from '../../packages/server/src/integrations/native/session/session.ts'
import type { Store } from '../../packages/server/src/store/open-store.ts'
import type { StoredMessage } from '../../packages/server/src/store/repositories/runs/messages-repository.ts'
import { openCallsOf, type RoundNotes } from './round-notes.ts'
import { transcriptMessages } from './transcript-lines.ts'

/** Checks the invariants of an idle conversation. */
export async function expectRoundSound(round: {
  readonly agentId: string
  readonly sessionKeys: readonly string[]
  readonly notes: RoundNotes
  readonly folder: string
  readonly store: Store
}): Promise<void> {
  const { agentId, sessionKeys, notes, folder, store } = round
  const rows = await store.messages.list(agentId, { limit: 1_000 })
  for (const key of sessionKeys) {
    // Opening the session adds results for calls that a crash left open.
    const session = await openSession(folder, key, { cwd: folder, now: Date.now })
    await session.close()
    const messages = await transcriptMessages(session.file)
    expect(openCallsOf(messages), 'calls and results').toEqual([])
    const transcriptIds = saidIn(messages)
    expectDelivered(rows, notes, key, agentId, transcriptIds)
    // An interrupt does not wait for a failed run, so it may overtake others that do.
    const mayPass = notes.failedStarts > 0 && rows.some(({ mode }) => mode === 'interrupt')
    if (!mayPass) expectOrder(rows, key, agentId, transcriptIds)
  }
  const runs = await store.runs.list({ agentId, limit: 1_000 })
  expect(runs.filter(({ state, outcome }) => state !== 'ended' || outcome === null)).toEqual([])
  expect((await store.agents.get(agentId))?.status).not.toBe('running')
  const items = await store.attention.list({ limit: 200 })
  const open = items.filter((item) => item.agentId === agentId && item.state === 'open')
  expect(open.filter(({ kind }) => kind === 'approval')).toEqual([])
  // The server may give up only after four failed starts, or when a crash cuts off a third attempt.
  const mayGiveUp = ({ attempts }: StoredMessage) => notes.failedStarts >= 4 || (notes.crashes >= 1 && attempts >= 3)
  expect(rows.filter((row) => row.state === 'failed' && !mayGiveUp(row))).toEqual([])
  const lost = rows.filter(({ state }) => state === 'failed' || state === 'uncertain').map(({ id }) => id)
  expect(open.flatMap(({ kind, subjectId }) => (kind === 'message' ? [subjectId] : [])).sort()).toEqual(lost.sort())
}

/** The messages in the order of the transcript. */
function saidIn(messages: readonly Message[]): string[] {
  const texts = messages.flatMap((message) =>
    message.role === 'user' ? message.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
  )
  // A summary of dropped messages names them without delivering them.
  const delivered = texts.map((text) => text.replace(/^- .*$/gm, ''))
  return delivered.flatMap((text) => [...text.matchAll(/<(m\d+)>/g)].map((match) => match[1]!))
}

function expectDelivered(
  rows: readonly StoredMessage[],
  notes: RoundNotes,
  key: string,
  agentId: string,
  transcriptIds: readonly string[],
): void {
  const states = new Map(rows.map(({ id, state }) => [id.slice(agentId.length + 1), state]))
  for (const { id, sessionKey, answer, sends, refusals, withdrawn } of notes.messages.values()) {
    if (sessionKey !== key) continue
    const state = states.get(id) ?? 'not there'
    const times = transcriptIds.filter((other) => other === id).length
    expect({ id, state, times }).toEqual({ id, state, times: state === 'delivered' ? 1 : 0 })
    if (answer === 'accepted') expect({ id, state }).not.toEqual({ id, state: 'not there' })
    if (refusals === sends) expect({ id, state }).toEqual({ id, state: 'not there' })
    if (withdrawn) expect({ id, state }).toEqual({ id, state: 'withdrawn' })
  }
}

/** An interrupt goes first and a steer may overtake a follow-up; messages of one kind keep their order. */
function expectOrder(
  rows: readonly StoredMessage[],
  key: string,
  agentId: string,
  transcriptIds: readonly string[],
): void {
  const kinds: readonly (readonly MessageMode[])[] = [['steer'], ['followup', 'collect'], ['interrupt']]
  for (const kind of kinds) {
    const arrived = rows
      .filter((row) => row.sessionKey === key && row.state === 'delivered' && kind.includes(row.mode))
      .map(({ id }) => id.slice(agentId.length + 1))
    expect(
      transcriptIds.filter((id) => arrived.includes(id)),
      `order of ${kind.join(' and ')}`,
    ).toEqual(arrived)
  }
}
