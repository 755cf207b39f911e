import { describe } from 'vitest'
import { describeAgents } from './contract/agents-contract.ts'
import { describeBoard } from './contract/board-contract.ts'
import { describeClients } from './contract/clients-contract.ts'
import { describeMessages } from './contract/messages-contract.ts'
import { describeReconcile } from './contract/reconcile-contract.ts'
import { describeRecords } from './contract/records-contract.ts'
import { describeRuns } from './contract/runs-contract.ts'
import { describeSnapshots } from './contract/snapshots-contract.ts'
import { describeTeamChat } from './contract/team-chat-contract.ts'
import { describeTransactions } from './contract/transactions-contract.ts'
import type { CreateDatabase } from './contract/use-store.ts'
import { describeValues } from './contract/values-contract.ts'
import { describeWakes } from './contract/wakes-contract.ts'

/** The contract of every engine. `createDatabase` creates an empty database for each part. */
export function describeStoreContract(label: string, createDatabase: CreateDatabase): void {
  describe(`store contract: ${label}`, () => {
    describeValues(createDatabase)
    describeTransactions(createDatabase)
    describeSnapshots(createDatabase)
    describeWakes(createDatabase)
    describeClients(createDatabase)
    describeAgents(createDatabase)
    describeRecords(createDatabase)
    describeReconcile(createDatabase)
    describeRuns(createDatabase)
    describeMessages(createDatabase)
    describeBoard(createDatabase)
    describeTeamChat(createDatabase)
  })
}
