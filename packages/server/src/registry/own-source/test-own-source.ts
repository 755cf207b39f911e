import { join } from 'node:path'
import { RuntimeRegistry } from '@clawboo/core/executor'
import { type AgentSource, OWN_SOURCE_ID } from '@clawboo/core/registry'
import { containedFiles } from '../../access/contained-path.ts'
import { checkPersonalityConfig } from '../../integrations/host-config.ts'
import { integrations } from '../../integrations/index.ts'
import { openTestHost, type TestHost, type TestHostOptions } from '../../integrations/test-host.ts'
import { createOwnSource } from './own-source.ts'

export interface TestOwnSource extends TestHost {
  readonly source: AgentSource
  readonly runtimes: RuntimeRegistry
  /** The home of an agent at a runtime. */
  homeOf(runtime: string, agentId: string): string
}

/** Clawboo's own source with every runtime of the product, over a real database and a real disk. */
export async function openOwnSource(options: TestHostOptions = {}): Promise<TestOwnSource> {
  const test = await openTestHost(OWN_SOURCE_ID, options)
  const runtimes = new RuntimeRegistry()
  for (const integration of integrations) {
    const { runtimes: catalogue } = integration.open(test.host)
    if (catalogue) runtimes.follow(catalogue)
  }
  const homeOf = (runtime: string, agentId: string) => join(test.homeFolder, '..', runtime, agentId)
  const source = createOwnSource({
    records: test.recordsOf(OWN_SOURCE_ID),
    runtimes,
    filesOf: (runtime) => containedFiles(join(test.homeFolder, '..', runtime), { maxBytes: 1024 * 1024 }),
    checkPersonality: async (config) => checkPersonalityConfig(config),
    now: test.host.now,
  })
  return { ...test, source, runtimes, homeOf }
}
