import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { followFeed } from '../../../../test/api/feed-reader.ts'
import { describeServer } from '../../../../test/engines.ts'

describeServer('The list of an agent’s files', (server) => {
  const api = () => server().client
  const diskPath = (agent: { id: string; runtime: string }, name: string) =>
    join(server().home, 'runtimes', agent.runtime, agent.id, 'workspace', name)
  const putOnDisk = async (agent: { id: string; runtime: string }, name: string, content: string | Buffer) => {
    await mkdir(dirname(diskPath(agent, name)), { recursive: true })
    await writeFile(diskPath(agent, name), content)
  }
  const listed = async (agentId: string) =>
    Object.fromEntries(
      (await api().listAgentFiles({ params: { agentId } })).files.map((file) => [file.name, file.latest]),
    )

  test('[RU66] lists a file that a Boo wrote before a person opens it, and reports the file once', async () => {
    const agent = await api().createAgent({ body: { name: 'Ada', files: { 'SOUL.md': 'kind' } } })
    expect(await listed(agent.id)).toMatchObject({ 'SOUL.md': { revision: 1 }, 'MEMORY.md': null })
    await putOnDisk(agent, 'MEMORY.md', 'noted by itself')
    const reader = await followFeed(server())
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    for (let look = 0; look < 2; look++)
      expect(await listed(agent.id)).toMatchObject({
        'SOUL.md': { revision: 1, author: 'operator' },
        'MEMORY.md': { revision: 1, author: 'workspace', bytes: 15 },
        'USER.md': null,
      })
    // The event of the first file may reach the feed late.
    const isMemory = ({ data }: { data: unknown }) => (data as { name?: string }).name === 'MEMORY.md'
    const written = await reader.waitFor((frame) => frame.event === 'agent-file-written' && isMemory(frame))
    expect(written.data).toMatchObject({ agentId: agent.id, revision: 1 })
    reader.close()
    const { revisions } = await api().listAgentFileHistory({ params: { agentId: agent.id, fileName: 'MEMORY.md' } })
    expect(revisions).toHaveLength(1)
  })

  test('[RU66] lists an edit of a known file, and a second read creates no revision', async () => {
    const agent = await api().createAgent({ body: { name: 'Cyd', files: { 'SOUL.md': 'ours' } } })
    await listed(agent.id)
    await putOnDisk(agent, 'SOUL.md', 'hers')
    for (let look = 0; look < 2; look++)
      expect(await listed(agent.id)).toMatchObject({ 'SOUL.md': { revision: 2, author: 'workspace' } })
    await api().writeAgentFile({
      params: { agentId: agent.id, fileName: 'SOUL.md' },
      body: { content: 'ours again', baseRevision: 2 },
    })
    expect(await listed(agent.id)).toMatchObject({ 'SOUL.md': { revision: 3, author: 'operator' } })
  })

  test('[RU67] a file that cannot be read does not hide the others', async () => {
    const agent = await api().createAgent({ body: { name: 'Bob' } })
    await putOnDisk(agent, 'AGENTS.md', Buffer.from([0x66, 0xff, 0xfe]))
    await symlink('/dev/null', diskPath(agent, 'SOUL.md'))
    await putOnDisk(agent, 'USER.md', 'likes tea')
    expect(await listed(agent.id)).toMatchObject({ 'AGENTS.md': null, 'SOUL.md': null, 'USER.md': { revision: 1 } })
  })
})
