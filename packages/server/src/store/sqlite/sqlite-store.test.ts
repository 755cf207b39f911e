import { describeStoreContract } from '../store-contract.ts'
import { createSqliteDatabase } from '../test-stores.ts'

describeStoreContract('sqlite', createSqliteDatabase)
