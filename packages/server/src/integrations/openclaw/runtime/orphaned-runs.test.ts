import { expect, test } from 'vitest'
import { openConnection } from '../gateway/test-connection.ts'
import type { TestGateway } from '../stand-in/test-gateway.ts'
import { openTestRuntime } from './test-runtime.ts'
import { promptKey } from './upstream-keys.ts'

const KEY = 'agent:main:room'
const abortedIn = ({ sent }: TestGateway) =>
  sent.filter(({ method }) => method === 'chat.abort').map(({ params }) => params.runId)

test('[OC73] in an orphaned conversation only runs that our prompts started are ended', async () => {
  const { runtime, start, agent, gateway, line } = await openTestRuntime()
  const { connection: other } = await openConnection(gateway)
  const isAtWork = (key: string) => (gateway.sessions.byKey.get(key)?.play?.underWay.size ?? 0) > 0
  const began = async (sessionKey: string, idempotencyKey: string) => {
    await other.call('chat.send', { sessionKey, message: 'play hang', idempotencyKey })
    await expect.poll(() => isAtWork(sessionKey)).toBe(true)
  }
  await began('agent:main:theirs', 'of-somebody-else')
  await runtime.endOrphan!(agent, `agent:${agent.id}:theirs`)
  const orphan = promptKey('agent:main:ours', 'an-old-prompt')
  await began('agent:main:ours', orphan)
  await runtime.endOrphan!(agent, `agent:${agent.id}:ours`)
  await expect.poll(() => abortedIn(gateway)).toEqual([orphan])
  const { events, ended, handle } = await start('play hang')
  await expect.poll(() => events.some(({ type }) => type === 'text-delta')).toBe(true)
  await runtime.endOrphan!(agent, `agent:${agent.id}:room`)
  const late = promptKey('agent:main:late', 'an-old-prompt')
  await began('agent:main:late', late)
  line.cut()
  await expect.poll(async () => (await runtime.health()).state).toBe('unavailable')
  await runtime.endOrphan!(agent, `agent:${agent.id}:late`)
  line.mend()
  await expect.poll(() => abortedIn(gateway)).toEqual([orphan, late])
  expect(isAtWork('agent:main:theirs')).toBe(true)
  expect(isAtWork(KEY)).toBe(true)
  await runtime.abort(handle)
  await ended
})

test('[OC73] a run that answers our queued prompt is ended too, after the prompts that wait behind it', async () => {
  const { runtime, agent, gateway } = await openTestRuntime()
  const [kept, waits] = [promptKey(KEY, 'kept'), promptKey(KEY, 'waits')]
  const history = {
    messages: [{ role: 'user', content: 'Go on.', idempotencyKey: `${kept}:user` }],
    inFlightRun: { runId: 'chosen-by-nobody' },
    pendingInputs: { items: [{ runId: 'of-somebody-else' }, { runId: waits }], total: 2 },
    sessionInfo: { hasActiveRun: true },
  }
  gateway.answers['chat.history'] = () => history
  await runtime.endOrphan!(agent, `agent:${agent.id}:room`)
  await expect.poll(() => abortedIn(gateway)).toEqual([waits, 'chosen-by-nobody'])
})
