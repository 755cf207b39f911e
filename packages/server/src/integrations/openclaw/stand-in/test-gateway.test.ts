import { expect, test } from 'vitest'
import { refusalWords } from '../gateway/call-error.ts'
import { createConnection, openConnection, openGateway } from '../gateway/test-connection.ts'
import { judgeConnect } from './test-gateway-handshake.ts'
import { type Json, recordedVersions, recordingsOf } from './test-recordings.ts'
import { callsIn, type RecordedCall } from './test-version-facts.ts'

const recordings = recordedVersions()
  .flatMap(recordingsOf)
  .map((recording) => ({ title: `${recording.version}/${recording.name}`, recording }))
/** Recordings of agents, files, sessions and settings, which depend on no recorded state. */
const fleets = recordings.filter(({ recording }) =>
  ['agents', 'files', 'config-patch', 'approval-unknown'].includes(recording.name),
)
const handshakes = recordings.filter(({ recording }) => /^hello|^wrong-token/.test(recording.name))

test.each(fleets)(
  '[OC70] the stand-in accepts and refuses the same requests as the recorded Gateway: $title',
  async ({ recording }) => {
    const gateway = await openGateway({ version: recording.version, listLagMs: 0 })
    const { connection } = await openConnection(gateway)
    const hashes = new Map<unknown, unknown>()
    // Calls that an overloaded or rate-limited Gateway refused prove nothing.
    const calls = callsIn(recording).filter(({ answer }) => answer.code !== 'UNAVAILABLE')
    for (const { method, params, ok, answer } of calls) {
      const request =
        params.baseHash === undefined ? params : { ...params, baseHash: hashes.get(params.baseHash) ?? 'old' }
      const [payload, words] = await connection.call(method, request).then(
        (payload): [Json | null, string | null] => [payload, null],
        (error: unknown): [Json | null, string | null] => [null, refusalWords(error)],
      )
      if (words?.startsWith('unknown method')) continue
      expect({ method, params, words }).toEqual({ method, params, words: ok ? null : answer.message })
      if (payload?.hash !== undefined) hashes.set(answer.hash, payload.hash)
      if (ok && /^agents\.(create|files)/.test(method)) expect(payload).toMatchObject(shape(answer))
    }
  },
)

test.each(handshakes)(
  '[OC70] the stand-in answers the handshake like the recorded Gateway: $title',
  ({ recording }) => {
    const [{ params, ok, answer }] = callsIn(recording, true) as [RecordedCall, ...RecordedCall[]]
    const token = '<token>'
    const origin = recording.name === 'hello-with-origin' ? 'http://localhost:1234' : undefined
    const rules = { token, nonce: '', challengedAt: 0, scopes: null, deviceScopes: null, requiresDevice: false, origin }
    if (ok) return expect(judgeConnect(params, rules)).toEqual((answer.auth as Json).scopes)
    const close = recording.frames.findLast(({ frame }) => frame.type === 'close')!.frame
    expect(() => judgeConnect(params, rules)).toThrow(
      expect.objectContaining({
        message: answer.message,
        error: expect.objectContaining({ code: answer.code }),
        closeCode: close.code,
      }),
    )
  },
)

test('[OC70] the stand-in refuses a device without a valid signature', async () => {
  const gateway = await openGateway({ scopes: [] })
  const { connection } = createConnection()
  await connection.open({ address: gateway.url, secret: gateway.token })
  const { params } = gateway.sent.at(-1)!
  const rules = { token: gateway.token, scopes: null, deviceScopes: null, requiresDevice: false, origin: undefined }
  const device = params.device as Json
  const judge = (change: Json, nonce = String(device.nonce)) =>
    judgeConnect({ ...params, ...change }, { ...rules, nonce, challengedAt: Number(device.signedAt) })
  expect(judge({})).toHaveLength(4)
  for (const change of [
    { role: 'node' },
    { scopes: [...(params.scopes as string[]), 'operator.pairing'] },
    { client: { ...(params.client as Json), id: 'gateway-client' } },
    { device: { ...device, signature: 'AAAA' } },
    { device: { ...device, id: '0'.repeat(64) } },
    { device: { ...device, signedAt: 1 } },
  ])
    expect(() => judge(change), JSON.stringify(change)).toThrow('device signature invalid')
  expect(() => judge({}, 'another nonce')).toThrow('device signature invalid')
})

/** Removes the fields that differ every time. */
function shape(answer: Json): Json {
  const { agentId, file } = answer as { agentId?: string; file?: Json }
  const { updatedAtMs: _, path: __, expectedAbsent: ___, size: ____, ...bare } = file ?? {}
  return { agentId, ...(file ? { file: bare } : {}) }
}
