import {
  connectTestIntegration,
  type TestIntegration,
} from '../../../packages/server/src/integrations/openclaw/stand-in/test-integration.ts'
import type { TestHost } from '../../../packages/server/src/integrations/test-host.ts'

export interface GatewayAddress {
  readonly port: number
  readonly token: string
}

/** The integration, connected to a real Gateway. With `over`, it is reopened over the data of an open host. */
export async function connectIntegration(gateway: GatewayAddress, over?: TestHost): Promise<TestIntegration> {
  const opened = await connectTestIntegration(gateway, over ? { over } : {})
  const { state, problem } = await opened.connection.read()
  if (state !== 'connected') throw new Error(`the Gateway is not connected: ${JSON.stringify(problem)}`)
  return opened
}
