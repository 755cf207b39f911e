import { expect, test } from 'vitest'
import { changeConfig } from '../tool-policy.ts'
import { openConnection, openGateway } from './test-connection.ts'

const patches = (gateway: Awaited<ReturnType<typeof openGateway>>) =>
  gateway.sent.filter(({ method }) => method === 'config.patch').length

test('[OC39] a change is based on the current settings, and is skipped when nothing would change', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  const deny = (names: readonly string[]) =>
    changeConfig(connection, (config) => {
      const now = (config.tools as { deny?: string[] } | undefined)?.deny ?? []
      return JSON.stringify(now) === JSON.stringify(names)
        ? null
        : { patch: { tools: { deny: names } }, replacePaths: ['tools.deny'] }
    })
  await deny(['browser', 'canvas'])
  await deny(['browser'])
  expect(gateway.config.value).toMatchObject({ gateway: { mode: 'local' }, tools: { deny: ['browser'] } })
  await deny(['browser'])
  expect(patches(gateway)).toBe(2)
})

test('[OC39] a concurrent change is not overwritten: the change is repeated on a fresh read', async () => {
  const gateway = await openGateway()
  const [ours, theirs] = [(await openConnection(gateway)).connection, (await openConnection(gateway)).connection]
  let reads = 0
  const { hash } = await theirs.call<{ hash: string }>('config.get')
  const faster = theirs.call.bind(theirs)
  await changeConfig(ours, (config) => {
    reads += 1
    if (reads === 1) void faster('config.patch', { raw: '{"theirs":1}', baseHash: hash })
    return { patch: { ours: Object.keys(config).length } }
  })
  expect(gateway.config.value).toMatchObject({ theirs: 1, ours: reads === 2 ? 2 : 1 })
})

test('[OC39] settings that keep changing end the attempts, and other refusals are not retried', async () => {
  const gateway = await openGateway()
  const { connection } = await openConnection(gateway)
  gateway.answers['config.get'] = () => ({ config: { tools: { deny: ['a', 'b'] } }, hash: 'always another' })
  await expect(changeConfig(connection, () => ({ patch: { a: 1 } }))).rejects.toMatchObject({
    code: 'upstream_refused',
  })
  expect(patches(gateway)).toBe(5)
  delete gateway.answers['config.get']
  await changeConfig(connection, () => ({ patch: { tools: { deny: ['a', 'b'] } } }))
  const before = patches(gateway)
  await expect(changeConfig(connection, () => ({ patch: { tools: { deny: ['a'] } } }))).rejects.toMatchObject({
    code: 'upstream_refused',
    details: { words: expect.stringContaining('tools.deny') },
  })
  expect(patches(gateway)).toBe(before + 1)
})
