import { randomUUID } from 'node:crypto'
import { type Methods, method, Refusal } from './test-gateway-method.ts'
import { broadcastsIn, findRecording, type Json } from './test-recordings.ts'

export interface TestApprovals {
  /** The listed approvals, by id. */
  readonly pending: ReadonlyMap<string, Json>
  /** Adds a recorded approval of an outside run, with these changes. */
  ask(request?: Json, more?: Json): string
  /** Settles an approval, by a person or by expiry. */
  settle(id: string, decision: string, resolvedBy?: string): void
  /** Applies the approval frames of a recording. */
  note(event: string, payload: Json): void
  readonly methods: Methods
}

export function createTestApprovals(
  version: string,
  say: (event: string, payload: Json) => void,
  ofRuns: Methods,
): TestApprovals {
  const pending = new Map<string, Json>()
  const foreign = new Set<string>()
  const recorded = broadcastsIn(findRecording(version, 'approval-allowed')!)
  const asked = recorded.find(({ event }) => event === 'exec.approval.requested')!.payload
  const settle: TestApprovals['settle'] = (id, decision, resolvedBy = 'gateway-client') => {
    const request = pending.get(id)?.request ?? {}
    pending.delete(id)
    foreign.delete(id)
    say('exec.approval.resolved', { id, decision, resolvedBy, ts: Date.now(), request })
  }
  return {
    pending,
    ask(request = {}, more = {}) {
      const id = randomUUID()
      const now = Date.now()
      const times = { createdAtMs: now, expiresAtMs: now + 30 * 60_000 }
      const own = { sessionKey: 'agent:main:channel', ...(version >= '2026.9' ? { runId: `run-${id}` } : {}) }
      const row = { ...asked, ...times, id, request: { ...(asked.request as Json), ...own, ...request }, ...more }
      pending.set(id, row)
      foreign.add(id)
      say('exec.approval.requested', row)
      return id
    },
    settle,
    note(event, payload) {
      if (event === 'exec.approval.requested') pending.set(String(payload.id), payload)
      if (event === 'exec.approval.resolved') pending.delete(String(payload.id))
    },
    methods: {
      'exec.approval.list': method('approvals', '', () => [...pending.values()]),
      'exec.approval.resolve': method('approvals', 'id! decision!', (params, caller) => {
        const id = String(params.id)
        if (!foreign.has(id)) return ofRuns['exec.approval.resolve']!.run(params, caller)
        const { allowedDecisions } = pending.get(id)!.request as { allowedDecisions: readonly unknown[] }
        if (!allowedDecisions.includes(params.decision)) throw new Refusal('decision not allowed')
        settle(id, String(params.decision))
        return { ok: true }
      }),
    },
  }
}
