import { removeHome, type ServerProcess, startServer } from '../test/server-process.ts'

/** A real server whose agents use the model at a given address. */
export interface ModelledServer extends ServerProcess {
  readonly agentIds: readonly string[]
  readonly headers: Record<string, string>
  say(agentId: string, text: string): Promise<void>
  remove(): Promise<void>
}

export async function startModelledServer(
  modelUrl: string,
  agents: number,
  env: Readonly<Record<string, string>> = {},
): Promise<ModelledServer> {
  const server = await startServer({ env: { CLAWBOO_LOG: 'error', ...env } })
  const { client } = server
  const models = [{ id: 'boo', contextWindowTokens: 400_000 }]
  await client.saveProvider({
    params: { providerId: 'bench' },
    body: { label: 'Bench', baseUrl: `${modelUrl}/v1`, models },
  })
  const agentIds: string[] = []
  for (let n = 0; n < agents; n++) {
    const execConfig = { model: 'bench/boo' }
    agentIds.push((await client.createAgent({ body: { name: `Boo ${n}`, execConfig } })).id)
  }
  return {
    ...server,
    agentIds,
    headers: { authorization: `Bearer ${server.token}` },
    async say(agentId, text) {
      await client.sendMessage({ params: { agentId }, body: { text } })
    },
    async remove() {
      await server.stop()
      await removeHome(server.home)
    },
  }
}
