import type { GatewayClient } from '@openclaw/gateway-client'
import { NEEDED_SCOPES } from './connection-problem.ts'
import { type DeviceKeys, publicKeyOf, signWith } from './device-keys.ts'
import type { GatewayFrame } from './gateway-frames.ts'

export interface GatewayTarget {
  readonly address: string
  readonly secret: string | null
}

export interface ClientEvents {
  onHello(hello: unknown): void
  onConnectError(error: Error): void
  onClose(code: number, reason: string, error: Error | undefined): void
  /** The client stopped retrying, because a retry would fail again. */
  onPaused(error: unknown): void
  onFrame(frame: GatewayFrame): void
  /** Frames were lost. */
  onGap(): void
}

/**
 * A client that is not started yet. The ids are from the Gateway's list: with any other id, or with an Origin header,
 * a connection is refused or gets no scopes.
 */
export async function openClient(
  { address, secret }: GatewayTarget,
  device: DeviceKeys | null,
  events: ClientEvents,
): Promise<GatewayClient> {
  const { GatewayClient } = await import('@openclaw/gateway-client')
  return new GatewayClient({
    url: address,
    ...(secret === null ? {} : { token: secret }),
    clientName: device ? 'cli' : 'gateway-client',
    mode: device ? 'cli' : 'backend',
    clientDisplayName: 'Clawboo',
    clientVersion: '1.0.0',
    platform: process.platform,
    role: 'operator',
    scopes: [...NEEDED_SCOPES],
    caps: ['tool-events', 'exec-approvals'],
    minProtocol: OLDEST_PROTOCOL,
    maxProtocol: NEWEST_PROTOCOL,
    deviceIdentity: device && { deviceId: device.id, privateKeyPem: device.privateKey, publicKeyPem: device.publicKey },
    hostDeps: { signDevicePayload: signWith, publicKeyRawBase64UrlFromPem: publicKeyOf },
    env: {},
    notifyOnStartupRetry: true,
    onHelloOk: (hello) => events.onHello(hello),
    onConnectError: (error) => events.onConnectError(error),
    onClose: (code, reason, info) => events.onClose(code, reason, info?.connectError),
    onReconnectPaused: ({ reason, detailCode }) =>
      events.onPaused({ message: reason, details: { code: detailCode ?? '' } }),
    onEvent: ({ event, payload }) => events.onFrame({ event, payload }),
    onGap: () => events.onGap(),
  })
}

const OLDEST_PROTOCOL = 4
const NEWEST_PROTOCOL = 4
