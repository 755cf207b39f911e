import type { RuntimeAdapter } from '@clawboo/core/executor'
import type { AgentSource, SourceConnection, SourceToolPolicy } from '@clawboo/core/registry'
import { createLazyUpstream } from '../../../registry/lazy-upstream.ts'
import type { IntegrationHost } from '../../host.ts'
import { openTestHost, type TestHost, type TestHostOptions } from '../../test-host.ts'
import { OPENCLAW_ID } from '../descriptor.ts'
import { openClawIntegration } from '../integration.ts'
import type { TestGateway } from './test-gateway.ts'
import { openTestLine, type TestLine } from './test-line.ts'

/** The roles as the host uses them. */
export interface TestRoles {
  readonly agentSource: AgentSource
  readonly connection: SourceConnection
  readonly toolPolicy: SourceToolPolicy
  loadRuntime(): Promise<RuntimeAdapter>
}

export function openTestRoles(host: IntegrationHost): TestRoles {
  const { upstream, runtimes } = openClawIntegration.open(host)
  const { agentSource, connection, toolPolicy } = createLazyUpstream(OPENCLAW_ID, upstream!, host.records, host.now)
  return {
    agentSource,
    connection: connection!,
    toolPolicy: toolPolicy!,
    loadRuntime: () => runtimes!.list()[0]!.load(),
  }
}

/** The whole integration, connected to a Gateway or a stand-in over a line that can be cut. */
export interface TestIntegration extends TestHost {
  readonly agentSource: AgentSource
  readonly runtime: RuntimeAdapter
  readonly connection: SourceConnection
  readonly toolPolicy: SourceToolPolicy
  readonly line: TestLine
}

export interface TestIntegrationOptions extends TestHostOptions {
  /** Whether the source follows the Gateway as in a server. */
  readonly isStarted?: boolean
  /** Reopens the integration over the data of an open host, which stays open. */
  readonly over?: TestHost
}

export async function connectTestIntegration(
  gateway: Pick<TestGateway, 'port' | 'token'>,
  options: TestIntegrationOptions = {},
): Promise<TestIntegration> {
  const test = options.over ?? (await openTestHost(OPENCLAW_ID, options))
  const line = await openTestLine(gateway.port)
  const { agentSource, connection, toolPolicy, loadRuntime } = openTestRoles(test.host)
  if (options.isStarted) await agentSource.start()
  await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  const runtime = await loadRuntime()
  return {
    ...test,
    agentSource,
    runtime,
    connection,
    toolPolicy,
    line,
    async dispose() {
      await runtime.dispose!()
      await agentSource.stop()
      await line.close()
      if (!options.over) await test.dispose()
    },
  }
}
