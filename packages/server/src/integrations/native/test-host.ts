import { type ModelProviders, type RuntimeAdapter, RuntimeRegistry } from '@clawboo/core/executor'
import { type AgentSource, OWN_SOURCE_ID } from '@clawboo/core/registry'
import { createOwnSource } from '../../registry/own-source/own-source.ts'
import type { TestDatabase } from '../../store/test-stores.ts'
import { checkPersonalityConfig } from '../host-config.ts'
import { type TestHost as Host, openTestHost as openHost } from '../test-host.ts'
import { nativeIntegration } from './integration.ts'
import { testFolderAt } from './test-folder.ts'

export interface TestHostOptions {
  /** Default: a new SQLite file. */
  readonly createDatabase?: () => Promise<TestDatabase>
  readonly now?: () => number
  /** Default: true. */
  readonly givesFolders?: boolean
}

export interface TestRoles {
  readonly agentSource: AgentSource
  readonly runtime: RuntimeAdapter
  readonly modelProviders: ModelProviders
}

export interface TestHost extends Host {
  /** Reopens the roles over the same data. */
  open(): Promise<TestRoles>
}

/** The native integration and the own source, on a host with only real parts. */
export async function openTestHost({ givesFolders = true, ...options }: TestHostOptions = {}): Promise<TestHost> {
  const test = await openHost(nativeIntegration.id, {
    ...options,
    ...(givesFolders ? { host: { folderAt: testFolderAt } } : {}),
  })
  return {
    ...test,
    async open() {
      const roles = nativeIntegration.open(test.host)
      const runtimes = new RuntimeRegistry()
      runtimes.follow(roles.runtimes!)
      return {
        agentSource: createOwnSource({
          records: test.recordsOf(OWN_SOURCE_ID),
          runtimes,
          filesOf: () => test.host.files,
          checkPersonality: async (config) => checkPersonalityConfig(config),
          now: test.host.now,
        }),
        runtime: await runtimes.get(nativeIntegration.id).load(),
        modelProviders: await roles.modelProviders!.load(),
      }
    },
  }
}
