import type { RuntimeAdapter } from '@clawboo/core/executor'
import type { AgentSource, SourceConnection } from '@clawboo/core/registry'
import { createLazyUpstream } from '../../registry/lazy-upstream.ts'
import type { IntegrationHost } from '../host.ts'
import { openTestHost, type TestHost, type TestHostOptions } from '../test-host.ts'
import { openClawIntegration } from './integration.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import type { TestGateway } from './test-gateway.ts'
import { openTestLine, type TestLine } from './test-line.ts'

/** The roles as the host uses them. */
export interface TestRoles {
  readonly agentSource: AgentSource
  readonly connection: SourceConnection
  loadRuntime(): Promise<RuntimeAdapter>
}

export function openTestRoles(host: IntegrationHost): TestRoles {
  const { upstream, runtimes } = openClawIntegration.open(host)
  const { agentSource, connection } = createLazyUpstream(OPENCLAW_ID, upstream!, host.records, host.now)
  return { agentSource, connection: connection!, loadRuntime: () => runtimes!.list()[0]!.load() }
}

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
  const { agentSource, connection, loadRuntime } = openTestRoles(test.host)
  if (options.isStarted) await agentSource.start()
  await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  const runtime = await loadRuntime()
  return {
    ...test,
    agentSource,
    runtime,
    connection,
    line,
    async dispose() {
      await runtime.dispose!()
      await agentSource.stop()
      await line.close()
      await test.dispose()
    },
  }
}
