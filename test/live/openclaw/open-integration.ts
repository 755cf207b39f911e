import type { RuntimeAdapter } from '@clawboo/core/executor'
import type { AgentSource, SourceConnection, SourceToolPolicy } from '@clawboo/core/registry'
import { openClawIntegration } from '../../../packages/server/src/integrations/openclaw/integration.ts'
import { OPENCLAW_ID } from '../../../packages/server/src/integrations/openclaw/openclaw-id.ts'
import { openTestLine, type TestLine } from '../../../packages/server/src/integrations/openclaw/test-line.ts'
import { openTestHost, type TestHost } from '../../../packages/server/src/integrations/test-host.ts'
import { createLazyUpstream } from '../../../packages/server/src/registry/lazy-upstream.ts'

export interface GatewayAddress {
  readonly port: number
  readonly token: string
}

/** The integration over a database of its own, connected to a real Gateway by a line that can be cut. */
export interface ConnectedIntegration extends TestHost {
  readonly agentSource: AgentSource
  readonly runtime: RuntimeAdapter
  readonly connection: SourceConnection
  readonly toolPolicy: SourceToolPolicy
  readonly line: TestLine
}

/** With `over`: opened anew over the data of one that is open. */
export async function connectIntegration(gateway: GatewayAddress, over?: TestHost): Promise<ConnectedIntegration> {
  const test = over ?? (await openTestHost(OPENCLAW_ID))
  const line = await openTestLine(gateway.port)
  const { upstream, runtimes } = openClawIntegration.open(test.host)
  const roles = createLazyUpstream(OPENCLAW_ID, upstream!, test.host.records, test.host.now)
  const { agentSource } = roles
  const connection = roles.connection!
  const view = await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  if (view.state !== 'connected') throw new Error(`the Gateway is not connected: ${JSON.stringify(view.problem)}`)
  const runtime = await runtimes!.list()[0]!.load()
  return {
    ...test,
    agentSource,
    runtime,
    connection,
    toolPolicy: roles.toolPolicy!,
    line,
    async dispose() {
      await runtime.dispose!()
      await agentSource.stop()
      await line.close()
      if (!over) await test.dispose()
    },
  }
}
