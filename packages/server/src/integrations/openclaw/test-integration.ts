import type { RuntimeAdapter } from '@clawboo/core/executor'
import type { AgentSource, SourceConnection, SourceToolPolicy } from '@clawboo/core/registry'
import { openTestHost, type TestHost, type TestHostOptions } from '../test-host.ts'
import { openClawIntegration } from './integration.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import type { TestGateway } from './test-gateway.ts'
import { openTestLine, type TestLine } from './test-line.ts'

/** The whole integration, connected to a Gateway or a stand-in by a line that can be cut. */
export interface TestIntegration extends TestHost {
  readonly agentSource: AgentSource
  readonly runtime: RuntimeAdapter
  readonly connection: SourceConnection
  readonly toolPolicy: SourceToolPolicy
  readonly line: TestLine
}

export interface TestIntegrationOptions extends TestHostOptions {
  /** The source follows the Gateway as it does in a server. */
  readonly isStarted?: boolean
  /** Opens the integration anew over the data of a host that is open, and leaves that host open. */
  readonly over?: TestHost
}

export async function connectTestIntegration(
  gateway: Pick<TestGateway, 'port' | 'token'>,
  options: TestIntegrationOptions = {},
): Promise<TestIntegration> {
  const test = options.over ?? (await openTestHost(OPENCLAW_ID, options))
  const line = await openTestLine(gateway.port)
  const roles = openClawIntegration.open(test.host)
  const [agentSource, runtime, connection] = [roles.agentSource!, roles.runtime!, roles.connection!]
  if (options.isStarted) await agentSource.start()
  await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
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
      if (!options.over) await test.dispose()
    },
  }
}
