import { openStore } from '../packages/server/src/store/open-store.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../test/server-process.ts'

/** A real server whose fleet has `count` agents in 20 teams, inserted before it starts. */
export async function startSeededServer(count: number): Promise<ServerProcess & { remove(): Promise<void> }> {
  const home = await temporaryHome()
  const store = await openStore({ sqliteFile: `${home}/clawboo.sqlite` })
  const at = 1_750_000_000_000
  await store.transaction(async (tx) => {
    for (let n = 0; n < 20; n++) await tx.teams.insert({ id: `team-${n}`, name: `Team ${n}`, createdAt: at })
    for (let n = 0; n < count; n++) {
      const id = `native-boo-${n.toString(16).padStart(6, '0')}`
      await tx.agents.insert({
        id,
        sourceId: 'bench',
        sourceAgentId: id,
        name: `Boo ${n}`,
        runtime: 'bench',
        teamId: `team-${n % 20}`,
        personalityConfig: { role: 'Keeps the lights on' },
        sessionKey: `agent:${id}:main`,
        createdAt: at + n,
      })
    }
  })
  await store.close()
  const server = await startServer({ home, env: { CLAWBOO_LOG: 'error' } })
  return {
    ...server,
    async remove() {
      await server.stop()
      await removeHome(home)
    },
  }
}
