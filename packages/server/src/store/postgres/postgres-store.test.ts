import { describe, inject } from 'vitest'
import { describeStoreContract } from '../store-contract.ts'
import { createPostgresDatabase } from '../test-stores.ts'

const serverUrl = inject('postgresUrl')

describe.skipIf(serverUrl === null)('on PostgreSQL', () => {
  describeStoreContract('postgres', () => createPostgresDatabase(serverUrl!))
})
