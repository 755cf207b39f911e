import { createHash, createPublicKey, verify } from 'node:crypto'
import { Refusal } from './test-gateway-method.ts'
import type { Json } from './test-recordings.ts'

const CLIENT_IDS = [
  'webchat-ui',
  'openclaw-control-ui',
  'openclaw-tui',
  'webchat',
  'cli',
  'gateway-client',
  'test',
].concat(
  ['openclaw-browser-copilot', 'openclaw-macos', 'openclaw-linux', 'openclaw-ios', 'openclaw-watchos', 'node-host'],
  ['openclaw-android', 'openclaw-worker', 'fingerprint', 'openclaw-probe'],
)
const PROTOCOL = 4
/** The DER header of an Ed25519 key. */
const KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

export interface HandshakeRules {
  readonly token: string
  readonly nonce: string
  readonly challengedAt: number
  /** The scopes of a connection without a device. */
  readonly scopes: readonly string[] | null
  /** The scopes of a connection with a device. */
  readonly deviceScopes: readonly string[] | null
  readonly requiresDevice: boolean
  readonly origin: string | undefined
}

/** A refusal, and the close code that follows it. */
export class HandshakeRefusal extends Refusal {
  readonly closeCode: number

  constructor(message: string, more: Json = {}, closeCode = 1008) {
    super(message, more)
    this.closeCode = closeCode
  }
}

/** Returns the scopes of a connection; throws when it is refused. */
export function judgeConnect(params: Json, rules: HandshakeRules): readonly string[] {
  const { minProtocol, maxProtocol, client, auth, device, scopes } = params as {
    minProtocol: number
    maxProtocol: number
    client: Json
    auth?: Json
    device?: Json
    scopes: string[]
  }
  if (!CLIENT_IDS.includes(String(client.id)))
    throw new HandshakeRefusal('invalid connect params: at /client/id: must be equal to one of the allowed values')
  if (minProtocol > PROTOCOL || maxProtocol < PROTOCOL) throw protocolMismatch(minProtocol, maxProtocol)
  if (auth?.token === undefined && !device) throw deviceRequired()
  if (auth?.token !== rules.token) throw tokenMismatch()
  if (!device && rules.requiresDevice) throw deviceRequired()
  if (device) checkDevice(device, params, rules)
  const isTrusted = device !== undefined || isProgram(client)
  if (!isTrusted || rules.origin !== undefined) return []
  const allowed = device ? rules.deviceScopes : rules.scopes
  return allowed === null ? scopes : scopes.filter((scope) => allowed.includes(scope))
}

function isProgram({ id, mode }: Json): boolean {
  return (id === 'gateway-client' && mode === 'backend') || (id === 'cli' && mode === 'cli')
}

function protocolMismatch(min: number, max: number): HandshakeRefusal {
  const bounds = { clientMinProtocol: min, clientMaxProtocol: max }
  const details = { code: 'PROTOCOL_MISMATCH', ...bounds, expectedProtocol: PROTOCOL, minimumProbeProtocol: 3 }
  return new HandshakeRefusal('protocol mismatch', { details }, 1002)
}

function tokenMismatch(): HandshakeRefusal {
  const details = {
    code: 'AUTH_TOKEN_MISMATCH',
    authReason: 'token_mismatch',
    canRetryWithDeviceToken: false,
    recommendedNextStep: 'update_auth_credentials',
  }
  return new HandshakeRefusal('unauthorized: gateway token mismatch (provide gateway auth token)', { details })
}

function deviceRequired(): HandshakeRefusal {
  const details = { code: 'DEVICE_IDENTITY_REQUIRED' }
  return new HandshakeRefusal('device identity required', { code: 'NOT_PAIRED', details })
}

/** The signature covers the client, the scopes, the token and the challenge. */
function checkDevice(device: Json, params: Json, { nonce, challengedAt }: HandshakeRules): void {
  const invalid = (code: string) => new HandshakeRefusal('device signature invalid', { details: { code } })
  const key = Buffer.from(String(device.publicKey), 'base64url')
  if (createHash('sha256').update(key).digest('hex') !== device.id) throw invalid('DEVICE_AUTH_DEVICE_ID_MISMATCH')
  if (device.nonce !== nonce) throw invalid('DEVICE_AUTH_NONCE_MISMATCH')
  if (device.signedAt !== challengedAt) throw invalid('DEVICE_AUTH_SIGNATURE_EXPIRED')
  const { client, role, scopes, auth } = params as { client: Json; role: string; scopes: string[]; auth: Json }
  const fields = ['v3', device.id, client.id, client.mode, role, scopes.join(','), device.signedAt, auth.token, nonce]
  const signed = [...fields, client.platform ?? '', client.deviceFamily ?? ''].join('|')
  const publicKey = createPublicKey({ key: Buffer.concat([KEY_HEAD, key]), format: 'der', type: 'spki' })
  if (!verify(null, Buffer.from(signed), publicKey, Buffer.from(String(device.signature), 'base64url')))
    throw invalid('DEVICE_AUTH_SIGNATURE_INVALID')
}

/** The answer to an accepted connection. */
export function helloOk(more: { version: string; bootId: string; connId: string; scopes: readonly string[] }): Json {
  const { version, bootId, connId, scopes } = more
  const sessionDefaults = { defaultAgentId: 'main', mainKey: 'main', mainSessionKey: 'agent:main:main' }
  return {
    type: 'hello-ok',
    protocol: PROTOCOL,
    // Older releases send no boot id.
    server: {
      version,
      connId,
      ...(version.startsWith('2026.5.') ? {} : { buildId: `${version}-release-test`, bootId }),
    },
    features: { methods: [], events: [] },
    snapshot: {
      presence: [],
      health: { ok: true },
      stateVersion: { presence: 1, health: 1 },
      uptimeMs: 1,
      sessionDefaults,
      configPath: '/gateway/state/openclaw.json',
      stateDir: '/gateway/state',
      authMode: 'token',
    },
    auth: { method: 'token', role: 'operator', scopes },
    policy: { maxPayload: 26_214_400, maxBufferedBytes: 52_428_800, tickIntervalMs: 30_000 },
  }
}
