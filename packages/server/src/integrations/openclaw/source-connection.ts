import type { ConnectionView, SourceConnection } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { type ConnectionSettings, checkAddress } from './connection-settings.ts'
import { discoverGateways } from './discover-gateways.ts'
import type { GatewayConnection } from './gateway/gateway-connection.ts'
import type { OutsideApprovals } from './outside-approvals.ts'

/** A person's controls for the Gateway connection. */
export function createSourceConnection(
  { machine, records }: IntegrationHost,
  gateway: GatewayConnection,
  settings: ConnectionSettings,
  outside: Pick<OutsideApprovals, 'forget'>,
): SourceConnection {
  const read = async (): Promise<ConnectionView> => {
    const { state, since, hello, problem } = gateway.status()
    const [address, lastSyncAt] = await Promise.all([settings.address(), records.lastSyncAt()])
    const [version, scopes] = [hello?.version || null, hello?.scopes ?? []]
    return { state, since, address, version, scopes, lastSyncAt, problem }
  }
  return {
    read,
    discover: async () => (await discoverGateways(machine)).map(({ secret: _, ...found }) => found),
    async connect(wish) {
      const address = checkAddress(wish.address)
      const secret = wish.secret ?? (await settings.secretFor(address)) ?? (await ownSecret(address))
      // Questions of the previous Gateway are no longer relevant.
      if (address !== (await settings.address())) await outside.forget()
      await settings.keep(address, secret)
      await gateway.open({ address, secret })
      return read()
    },
    async disconnect() {
      await settings.forget()
      await gateway.close()
      await outside.forget()
      return read()
    },
  }

  async function ownSecret(address: string): Promise<string | null> {
    return (await discoverGateways(machine)).find((found) => found.address === address)?.secret ?? null
  }
}
