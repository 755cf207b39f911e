import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { removeHome, startServer, temporaryHome } from '../../../../../test/server-process.ts'
import { openStore } from '../../store/open-store.ts'

test('[CV55] a server starts even if the conversations of an agent cannot be read, and the reason is shown', async () => {
  const home = await temporaryHome()
  let server = await startServer({ home })
  const makeAgent = async (name: string) =>
    server.client.createAgent({ body: { name, execConfig: { model: 'demo/boo' } } })
  const [broken, sound] = [await makeAgent('Broken'), await makeAgent('Sound')]
  await server.kill()
  const instance = (await readFile(join(home, 'id'), 'utf8')).trim()
  const store = await openStore({ sqliteFile: join(home, 'clawboo.sqlite') })
  for (const { id: agentId } of [broken, sound]) {
    const fields = { agentId, sessionKey: `agent:${agentId}:main`, model: null, sender: 'operator', owner: instance }
    const id = `to-${agentId}`.slice(0, 60)
    await store.messages.insert({ ...fields, id, text: 'hello', mode: 'steer', createdAt: 1 })
    await store.messages.update([id], ['queued'], { state: 'delivering', promptId: id, attempts: 1 })
  }
  await store.close()
  const folder = join(home, 'runtimes', broken.runtime, broken.id)
  await mkdir(folder, { recursive: true })
  await rm(join(folder, 'sessions'), { recursive: true, force: true })
  await writeFile(join(folder, 'sessions'), 'not a folder')

  server = await startServer({ home })
  const stateOf = async (agentId: string) =>
    (await server.client.listMessages({ params: { agentId } })).messages.map(({ state }) => state)
  while ((await stateOf(sound.id))[0] !== 'delivered') await pause(20)
  expect(await stateOf(broken.id)).toEqual(['uncertain'])
  const { items } = await server.client.listAttention({ query: { state: 'open' } })
  expect(items).toMatchObject([{ agentId: broken.id, detail: expect.stringContaining('it is unknown whether') }])

  const { runId } = await server.client.sendMessage({
    params: { agentId: broken.id },
    body: { text: 'are you there?' },
  })
  const endOf = async () => (await server.client.getRun({ params: { runId: runId! } })).run
  while ((await endOf()).state !== 'ended') await pause(20)
  expect(await endOf()).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('sessions') })
  await server.stop()
  await removeHome(home)
})
