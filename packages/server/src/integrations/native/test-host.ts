import type { ModelProviders, RuntimeAdapter } from '@clawboo/core/executor'
import type { AgentSource } from '@clawboo/core/registry'
import type { TestDatabase } from '../../store/test-stores.ts'
import { type TestHost as Host, openTestHost as openHost } from '../test-host.ts'
import { nativeIntegration } from './integration.ts'
import { NATIVE_ID } from './native-id.ts'
import { testFolderAt } from './test-folder.ts'

export interface TestHostOptions {
  /** A SQLite file of its own unless given. */
  readonly createDatabase?: () => Promise<TestDatabase>
  readonly now?: () => number
  /** True unless said. */
  readonly givesFolders?: boolean
}

export interface TestHost extends Host {
  /** The roles, opened anew over the same data. */
  open(): { agentSource: AgentSource; runtime: RuntimeAdapter; modelProviders: ModelProviders }
}

/** The native integration over a host with all its parts real. */
export async function openTestHost({ givesFolders = true, ...options }: TestHostOptions = {}): Promise<TestHost> {
  const test = await openHost(NATIVE_ID, { ...options, ...(givesFolders ? { host: { folderAt: testFolderAt } } : {}) })
  return {
    ...test,
    open() {
      const { agentSource, runtime, modelProviders } = nativeIntegration.open(test.host)
      return { agentSource: agentSource!, runtime: runtime!, modelProviders: modelProviders! }
    },
  }
}
