// One table of twelve tools, in a separate process.
import { newAgent } from '../packages/server/src/store/contract/agents-contract.ts'
import { openStore } from '../packages/server/src/store/open-store.ts'
import { serveTables } from './serve-tables.ts'
import { createTwelveTools } from './twelve-tools.ts'

const home = process.argv.at(-1)!
const store = await openStore({ sqliteFile: `${home}/clawboo.sqlite` })
await store.agents.insert(newAgent('ada'))
const bound = { agentId: 'ada', teamId: null, roomId: null }
await serveTables(home, store, () => ({ twelve: async () => createTwelveTools() }), bound)
