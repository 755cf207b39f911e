import { onTestFinished } from 'vitest'
import type { HostSecrets } from '../../host.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../stand-in/test-gateway.ts'
import { deviceKeys } from './device-keys.ts'
import { createGatewayConnection, type GatewayConnection, type GatewayStatus } from './gateway-connection.ts'

/** A stand-in that is closed after the test. */
export async function openGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options)
  onTestFinished(() => gateway.close())
  return gateway
}

/** A connection that is closed after the test, and every status it reported. */
export function createConnection(secrets: HostSecrets = secretsInMemory()): {
  readonly connection: GatewayConnection
  readonly statuses: readonly GatewayStatus[]
} {
  const connection = createGatewayConnection({ now: Date.now, deviceKeys: () => deviceKeys(secrets) })
  const statuses: GatewayStatus[] = []
  connection.onChange((status) => statuses.push(status))
  onTestFinished(() => connection.close())
  return { connection, statuses }
}

/** Connects to a stand-in with its token. */
export async function openConnection(gateway: TestGateway, port = gateway.port) {
  const made = createConnection()
  await made.connection.open({ address: `ws://127.0.0.1:${port}`, secret: gateway.token })
  return made
}

export function secretsInMemory(): HostSecrets {
  const kept = new Map<string, string>()
  return {
    read: async (name) => kept.get(name) ?? null,
    store: async (name, secret) => void kept.set(name, secret),
    remove: async (name) => void kept.delete(name),
  }
}
