import { scriptPrompt } from '@clawboo/scripted-model'
import { startChild } from './child-process.ts'
import { readDeltas } from './delta-reader.ts'
import type { Benchmark } from './harness.ts'
import { type ModelledServer, startModelledServer } from './modelled-server.ts'
import { residentMib } from './resident-mib.ts'

const AGENTS = 4
const EARLY_TURNS = 100
const ALL_TURNS = 1000
/** Divides `EARLY_TURNS` and `ALL_TURNS`, so that conversations have the same length at both measurements. */
const TURNS_PER_CONVERSATION = 25
/** The number of measurements of which the lowest counts, because the heap grows and shrinks. */
const LOOKS = 20
const PROMPT = scriptPrompt([
  [{ callTool: 'write', with: { path: 'notes.txt', content: 'A line to remember. '.repeat(50) } }],
  [{ callTool: 'read', with: { path: 'notes.txt' } }],
  [{ say: 'It is written down, and it reads as it was written. '.repeat(5) }],
])

/**
 * Resident memory of a server after 1,000 runs, against the same server after 100. Each run writes a file, reads it
 * and answers. The live part of a conversation stays in memory, so each of the four agents starts a new conversation
 * every 25 runs: any remaining growth is a leak.
 */
export const nativeMemory: Benchmark = {
  name: 'native-memory',
  unit: 'MiB after 1,000 runs',
  bound: { atMost: 1.15 },
  rounds: 1,
  async open() {
    const model = await startChild('scripted-model-child.ts')
    let early = 0
    return {
      async value() {
        const server = await startModelledServer(model.url, AGENTS)
        try {
          early = await takeTurns(server, EARLY_TURNS / AGENTS)
          return await takeTurns(server, (ALL_TURNS - EARLY_TURNS) / AGENTS)
        } finally {
          await server.remove()
        }
      },
      baseline: async () => early,
      close: () => model.stop(),
    }
  },
}

/** Resolves to the memory after the last runs. */
async function takeTurns(server: ModelledServer, each: number): Promise<number> {
  const looks: number[] = []
  await Promise.all(
    server.agentIds.map(async (agentId) => {
      const reader = await readDeltas(`${server.url}/api/agents/${agentId}/stream`, server.headers)
      for (let n = 0; n < each; n++) {
        if (n % TURNS_PER_CONVERSATION === 0) await server.client.resetConversation({ params: { agentId }, body: {} })
        const done = reader.until('"outcome":"completed"')
        await server.say(agentId, PROMPT)
        await done
        looks.push(await residentMib(server.child.pid!))
      }
      reader.close()
    }),
  )
  return Math.min(...looks.slice(-LOOKS))
}
