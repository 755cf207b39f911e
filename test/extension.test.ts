import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeHome, type ServerProcess, startServer, temporaryHome } from './server-process.ts'

const root = join(import.meta.dirname, '..')
let tree: string
let server: ServerProcess

/** A copy of the packages with two more integrations, each with a line in the list, and one more agent file name. */
beforeAll(async () => {
  tree = await temporaryHome()
  await cp(join(root, 'packages'), join(tree, 'packages'), {
    recursive: true,
    filter: (path) => !/node_modules|\/dist(\/|$)/.test(path),
  })
  await linkDependencies()
  const integrations = join(tree, 'packages/server/src/integrations')
  await addIntegration(integrations, 'agent-source', 'example')
  await addIntegration(integrations, 'runtime', 'echo')
  await edit(join(tree, 'packages/core/src/registry/agent-file.ts'), (text) =>
    text.replace("'MEMORY.md',", "'MEMORY.md',\n  'EXTRA.md',"),
  )
  server = await startServer({ main: join(tree, 'packages/server/src/main.ts') })
})
afterAll(async () => {
  await server.stop()
  await removeHome(server.home)
  await removeHome(tree)
})

/** Adds a folder and a line. */
async function addIntegration(integrations: string, example: string, name: string): Promise<void> {
  const folder = join(integrations, name)
  await cp(join(root, 'examples', example), folder, { recursive: true })
  for (const file of await readdir(folder)) {
    const text = await readFile(join(folder, file), 'utf8')
    await writeFile(join(folder, file), text.replaceAll(/'[^']*\/integrations\/(host(?:-config)?\.ts)'/g, "'../$1'"))
  }
  await edit(join(integrations, 'index.ts'), (text) =>
    text
      .replace(/Integration\]/, `Integration, ${name}Integration]`)
      .concat(`import { ${name}Integration } from './${name}/integration.ts'\n`),
  )
}

async function linkDependencies(): Promise<void> {
  await mkdir(join(tree, 'node_modules/@clawboo'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name !== '@clawboo' && !name.startsWith('.'))
      await symlink(join(root, 'node_modules', name), join(tree, 'node_modules', name))
  }
  for (const name of await readdir(join(tree, 'packages')))
    await symlink(join(tree, 'packages', name), join(tree, 'node_modules/@clawboo', name))
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  await writeFile(file, after)
}

test('[AR10] a new source needs a folder and a line: its Boos are in the fleet, and its default is Boo Zero', async () => {
  const fleet = await server.client.listAgents({})
  expect(fleet.agents.map((agent) => agent.displayName)).toEqual(['fern', 'moss'])
  expect(fleet).toMatchObject({ defaultId: 'example-moss', booZeroId: 'example-moss', mainKey: 'main', stale: false })
  expect(fleet.sources.map((source) => source.label)).toEqual(expect.arrayContaining(['Clawboo', 'Example']))
  const renamed = await server.client.updateAgent({
    params: { agentId: 'example-moss' },
    body: { name: 'Moss', avatarSeed: 'mine' },
  })
  expect(renamed.displayName).toBe('Moss')
  expect(await server.client.syncSource({ params: { sourceId: 'example' } })).toMatchObject({ unchanged: 2 })
  expect(await server.client.getAgent({ params: { agentId: 'example-moss' } })).toEqual(renamed)
})

test('[AR10] a write that needs the upstream fails with that reason and when to retry', async () => {
  const answer = await fetch(`${server.url}/api/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'New', sourceId: 'example' }),
  })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
})

test('[AR9] an eighth agent file needs one line: it is listed, written and read', async () => {
  const agent = await server.client.createAgent({ body: { name: 'Ada' } })
  const params = { agentId: agent.id, fileName: 'EXTRA.md' as 'SOUL.md' }
  const { files } = await server.client.listAgentFiles({ params })
  expect(files).toHaveLength(8)
  await server.client.writeAgentFile({ params, body: { content: 'extra', baseRevision: 0 } })
  expect((await server.client.readAgentFile({ params })).content).toBe('extra')
})

test('[AR15] a new runtime needs a folder and a line: a Boo runs on it with its own files, and its settings are checked', async () => {
  const { client } = server
  const { runtimes } = await client.listRuntimes({})
  expect(runtimes.find(({ id }) => id === 'echo')).toMatchObject({
    label: 'Echo',
    home: 'ephemeral',
    missingClaims: [],
  })
  const soul = 'You are kind to moss.\nAnd to ferns.'
  const agent = await client.createAgent({ body: { name: 'Eva', runtime: 'echo', files: { 'SOUL.md': soul } } })
  expect(agent).toMatchObject({ runtime: 'echo', participantKind: 'agent' })
  const params = { agentId: agent.id }
  const { message } = await client.sendMessage({ params, body: { text: 'Hello there' } })
  const lastRun = async () => (await client.listRuns({ query: { agentId: agent.id } })).runs[0]
  await expect.poll(async () => (await lastRun())?.outcome).toBe('completed')
  expect((await lastRun())?.text).toBe('You are kind to moss.\nYou said: Hello there')
  expect(message.agentId).toBe(agent.id)
  const misspelt = client.updateAgent({ params, body: { execConfig: { budgetUds: 1 } } })
  await expect(misspelt).rejects.toMatchObject({ code: 'agent_config_invalid' })
})
