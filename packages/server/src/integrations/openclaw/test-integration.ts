import type { RuntimeAdapter } from '@clawboo/core/executor'
import type { AgentSource, SourceConnection } from '@clawboo/core/registry'
import { openTestHost, type TestHost, type TestHostOptions } from '../test-host.ts'
import { openClawIntegration } from './integration.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import type { TestGateway } from './test-gateway.ts'
import { openTestLine, type TestLine } from './test-line.ts'

/** The whole integration, connected to a stand-in by a line that can be cut. */
export interface TestIntegration extends TestHost {
  readonly agentSource: AgentSource
  readonly runtime: RuntimeAdapter
  readonly connection: SourceConnection
  readonly line: TestLine
}

/** With `isStarted`, the source follows the Gateway as it does in a server. */
export async function connectTestIntegration(
  gateway: TestGateway,
  options: TestHostOptions & { readonly isStarted?: boolean } = {},
): Promise<TestIntegration> {
  const test = await openTestHost(OPENCLAW_ID, options)
  const line = await openTestLine(gateway.port)
  const roles = openClawIntegration.open(test.host)
  const [agentSource, runtime, connection] = [roles.agentSource!, roles.runtime!, roles.connection!]
  if (options.isStarted) await agentSource.start()
  await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  return {
    ...test,
    ...{ agentSource, runtime, connection, line },
    async dispose() {
      await runtime.dispose!()
      await agentSource.stop()
      await line.close()
      await test.dispose()
    },
  }
}
