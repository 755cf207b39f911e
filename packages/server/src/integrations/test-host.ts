import { join } from 'node:path'
import type { RuntimeId, SourceRecords } from '@clawboo/core/registry'
import { removeHome, temporaryHome } from '../../../../test/server-process.ts'
import { containedFiles } from '../access/contained-path.ts'
import { secretsByIntegration } from '../access/integration-secrets.ts'
import { type Attention, createAttention } from '../executor/attention/attention.ts'
import { createOutsideApprovals } from '../executor/attention/outside-approvals.ts'
import { openEventLog } from '../live/event-log.ts'
import { createLog } from '../log.ts'
import { testProcesses } from '../processes/test-processes.ts'
import { createRecordChange } from '../registry/record-change.ts'
import { createSourceRecords } from '../registry/source-records.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { settingsUnder } from '../store/repositories/server/settings-repository.ts'
import { createSqliteDatabase, type TestDatabase } from '../store/test-stores.ts'
import type { IntegrationHost } from './host.ts'

export interface TestHost {
  readonly host: IntegrationHost
  readonly store: Store
  /** The attention items and their answers. */
  readonly attention: Attention
  /** The agents' folders, in an otherwise empty folder. */
  readonly homeFolder: string
  /** The person's home, beside `homeFolder`, for programs and skills. */
  readonly userHome: string
  recordsOf(sourceId: RuntimeId): SourceRecords
  /** Dispose of the roles first. */
  dispose(): Promise<void>
}

export interface TestHostOptions {
  /** Default: a new SQLite file. */
  readonly createDatabase?: () => Promise<TestDatabase>
  readonly now?: () => number
  /** Replaces parts of the host. */
  readonly host?: Partial<IntegrationHost>
}

/** A host with only real parts: a database, a vault and a home on disk. */
export async function openTestHost(id: RuntimeId, options: TestHostOptions = {}): Promise<TestHost> {
  const database = await (options.createDatabase ?? createSqliteDatabase)()
  const store = await openStore(database.options)
  const log = await openEventLog(store)
  const base = await temporaryHome()
  const homeFolder = join(base, 'runtimes', id)
  const userHome = join(base, 'person')
  const record = createRecordChange(store, log)
  const recordsOf = (sourceId: RuntimeId) => createSourceRecords(sourceId, store, record)
  const attention = createAttention({ store, record, log: createLog('error'), now: options.now ?? Date.now })
  const approvals = createOutsideApprovals({ store, record, attention, now: options.now ?? Date.now })
  const environment = { PATH: process.env.PATH, LANG: 'C.UTF-8' }
  const host: IntegrationHost = {
    records: recordsOf(id),
    files: containedFiles(homeFolder, { maxBytes: 1024 * 1024 }),
    homeFolder,
    secrets: secretsByIntegration(base, null)(id),
    settings: settingsUnder(`integration:${id}:`, store.settings),
    machine: { environment, userHome, timeZone: 'UTC' },
    processes: testProcesses(environment),
    approvals: approvals.of(id),
    now: options.now ?? Date.now,
    ...options.host,
  }
  return {
    host,
    store,
    attention,
    homeFolder,
    userHome,
    recordsOf,
    async dispose() {
      attention.close()
      await log.close()
      await store.close()
      await database.dispose()
      await removeHome(base)
    },
  }
}
