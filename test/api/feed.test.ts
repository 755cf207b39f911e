import { expect, test } from 'vitest'
import { describeServer } from '../engines.ts'
import { followFeed } from './feed-reader.ts'

describeServer('The event feed', (server, restart) => {
  const makeAgent = (name: string) => server().client.createAgent({ body: { name } })

  test('[LV2] a new reader starts with feed-ready and receives every later event', async () => {
    const reader = await followFeed(server())
    const ready = await reader.waitFor((frame) => frame.event === 'feed-ready')
    const ada = await makeAgent('Ada')
    const seen = await reader.waitFor((frame) => frame.event === 'agent-upserted')
    expect(seen.id).toBe(ready.id + 1)
    expect(seen.data).toEqual({ type: 'agent-upserted', agent: ada })
    reader.close()
  })

  test('[LV1] a reader that returns gets every later event once and in order', async () => {
    const first = await followFeed(server())
    const { id: from } = await first.waitFor((frame) => frame.event === 'feed-ready')
    first.close()
    const made = []
    for (let n = 0; n < 250; n++) made.push((await makeAgent(`Boo ${n}`)).id)
    const back = await followFeed(server(), from)
    await back.waitFor((frame) => frame.id === from + 250)
    const events = back.frames.filter((frame) => frame.event !== 'feed-ready')
    expect(events.map((frame) => frame.id)).toEqual(made.map((_, n) => from + n + 1))
    expect(events.map((frame) => (frame.data.agent as { id: string }).id)).toEqual(made)
    back.close()
  })

  test('[LV1] many readers at many cursors see the same log', async () => {
    const head = Number((await server().client.getStatus({})).lastEventId)
    const readers = await Promise.all([0, 1, 50, head - 3, head].map((after) => followFeed(server(), after)))
    const last = await makeAgent('Seen by all')
    for (const reader of readers) await reader.waitFor((frame) => (frame.data.agent as { id?: string })?.id === last.id)
    const log = readers[0]!.frames.slice(1).map((frame) => frame.id)
    expect(log).toEqual(Array.from({ length: head + 1 }, (_, n) => n + 1))
    for (const reader of readers) {
      const own = reader.frames.slice(1).map((frame) => frame.id)
      expect(own).toEqual(log.slice(-own.length))
      reader.close()
    }
  })

  test('[LV3] a cursor from the future gets feed-reset and continues from now', async () => {
    const reader = await followFeed(server(), 999_999_999)
    const reset = await reader.waitFor((frame) => frame.event === 'feed-reset')
    expect(String(reset.id)).toBe((await server().client.getStatus({})).lastEventId)
    reader.close()
  })

  test('[LV7] refuses a cursor that is not a number', async () => {
    for (const cursor of ['abc', '-1', '1.5', '1e3', "1'--", '9'.repeat(30)])
      expect((await followFeed(server(), cursor)).status).toBe(400)
  })

  test('[LV9] rotating the token closes every open feed', async () => {
    const reader = await followFeed(server())
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    await server().client.rotateToken({})
    await reader.ended
    await restart('stop')
  })

  test('[LV10] a server that is asked to stop ends its feeds and exits with success', async () => {
    const reader = await followFeed(server())
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    const stopping = server()
    const [code] = await Promise.all([stopping.stop(), reader.ended])
    expect(code).toBe(0)
    const started = await restart('stop')
    expect((await started.client.listAgents({})).agents.length).toBeGreaterThan(0)
  })

  test('[LV1] the feed continues across a restart from the reader’s last event', async () => {
    const before = await followFeed(server())
    const { id } = await before.waitFor((frame) => frame.event === 'feed-ready')
    await makeAgent('Before')
    await restart('kill')
    await makeAgent('After')
    const back = await followFeed(server(), id)
    await back.waitFor((frame) => frame.id === id + 2)
    expect(
      back.frames.slice(1).map((frame) => [frame.id, (frame.data.agent as { displayName: string }).displayName]),
    ).toEqual([
      [id + 1, 'Before'],
      [id + 2, 'After'],
    ])
    back.close()
  })
})
