import { link, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { describeServer } from '../engines.ts'

describeServer('Agent files', (server) => {
  const api = () => server().client
  const makeAgent = async (files: Record<string, string> = {}) => api().createAgent({ body: { name: 'Ada', files } })
  const diskPath = (agent: { id: string; runtime: string }, name: string) =>
    join(server().home, 'runtimes', agent.runtime, agent.id, 'workspace', name)
  const soulOf = (agentId: string) => ({ agentId, fileName: 'SOUL.md' as const })

  test('[RG46] lists revisions newest first, reads each one, and restoring one writes a new revision', async () => {
    const { id } = await makeAgent({ 'SOUL.md': 'one' })
    await api().writeAgentFile({ params: soulOf(id), body: { content: 'two', baseRevision: 1 } })
    await api().writeAgentFile({ params: soulOf(id), body: { content: 'three', baseRevision: 2 } })
    const { revisions } = await api().listAgentFileHistory({ params: soulOf(id) })
    expect(revisions.map(({ revision, author }) => [revision, author])).toEqual([
      [3, 'operator'],
      [2, 'operator'],
      [1, 'operator'],
    ])
    const old = await api().readAgentFile({ params: soulOf(id), query: { revision: 1 } })
    expect(old.content).toBe('one')
    expect(
      await api().writeAgentFile({ params: soulOf(id), body: { content: old.content, baseRevision: 3 } }),
    ).toMatchObject({ revision: 4, content: 'one' })
    await expect(api().readAgentFile({ params: soulOf(id), query: { revision: 9 } })).rejects.toMatchObject({
      code: 'revision_not_found',
    })
    const page = await api().listAgentFileHistory({ params: soulOf(id), query: { limit: 2, before: 4 } })
    expect(page.revisions.map(({ revision }) => revision)).toEqual([3, 2])
  })

  test('[RG16] a stale write gets 409 with the current text, and no text is lost', async () => {
    const { id } = await makeAgent({ 'SOUL.md': 'base' })
    await api().writeAgentFile({ params: soulOf(id), body: { content: 'theirs', baseRevision: 1 } })
    await expect(
      api().writeAgentFile({ params: soulOf(id), body: { content: 'mine', baseRevision: 1 } }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'file_revision_stale',
      details: { current: { revision: 2, content: 'theirs', author: 'operator' } },
    })
    expect((await api().readAgentFile({ params: soulOf(id) })).content).toBe('theirs')
  })

  test('[RG33] a written file is on disk, and a person has no folder', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'on disk' })
    expect(await readFile(diskPath(agent, 'SOUL.md'), 'utf8')).toBe('on disk')
    await api().writeAgentFile({ params: soulOf(agent.id), body: { content: 'newer', baseRevision: 1 } })
    expect(await readFile(diskPath(agent, 'SOUL.md'), 'utf8')).toBe('newer')
    const person = await api().createAgent({ body: { name: 'Robin', participantKind: 'human' } })
    await api().writeAgentFile({ params: soulOf(person.id), body: { content: 'kind', baseRevision: 0 } })
    expect((await api().readAgentFile({ params: soulOf(person.id) })).content).toBe('kind')
    await expect(readFile(diskPath(person, 'SOUL.md'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('[RG30] a change on disk becomes a revision by workspace at the next read', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'ours' })
    await writeFile(diskPath(agent, 'SOUL.md'), 'edited by hand')
    await writeFile(diskPath(agent, 'MEMORY.md'), 'noted by itself')
    expect(await api().readAgentFile({ params: soulOf(agent.id) })).toMatchObject({
      content: 'edited by hand',
      revision: 2,
      author: 'workspace',
    })
    expect(await api().readAgentFile({ params: { agentId: agent.id, fileName: 'MEMORY.md' } })).toMatchObject({
      content: 'noted by itself',
      revision: 1,
      author: 'workspace',
    })
    expect(await api().readAgentFile({ params: soulOf(agent.id) })).toMatchObject({ revision: 2 })
  })

  test('[RG30] a write over a text that changed on disk is a conflict, not an overwrite', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'ours' })
    await writeFile(diskPath(agent, 'SOUL.md'), 'edited by hand')
    await expect(
      api().writeAgentFile({ params: soulOf(agent.id), body: { content: 'mine', baseRevision: 1 } }),
    ).rejects.toMatchObject({
      code: 'file_revision_stale',
      details: { current: { revision: 2, content: 'edited by hand', author: 'workspace' } },
    })
  })

  test('[RG31] a lost working copy is written again and does not count as an edit', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'kept' })
    await rm(dirname(diskPath(agent, 'SOUL.md')), { recursive: true })
    expect(await api().readAgentFile({ params: soulOf(agent.id) })).toMatchObject({ content: 'kept', revision: 1 })
    expect(await readFile(diskPath(agent, 'SOUL.md'), 'utf8')).toBe('kept')
  })

  test('[RG32] refuses a working copy that is a link or has a second name, and does not read its target', async () => {
    const agent = await makeAgent()
    const outside = join(server().home, 'outside.txt')
    await writeFile(outside, 'not for agents')
    await mkdir(dirname(diskPath(agent, 'SOUL.md')), { recursive: true })
    await symlink(outside, diskPath(agent, 'SOUL.md'))
    await link(outside, diskPath(agent, 'USER.md'))
    for (const fileName of ['SOUL.md', 'USER.md'] as const) {
      const refusal = await api()
        .readAgentFile({ params: { agentId: agent.id, fileName } })
        .catch((error) => error)
      expect(refusal).toMatchObject({ status: 400, code: 'path_refused' })
      expect(JSON.stringify(refusal)).not.toContain('not for agents')
    }
    expect(
      (await api().listAgentFiles({ params: { agentId: agent.id } })).files.every((file) => file.latest === null),
    ).toBe(true)
  })

  test('[RG13] a deleted agent leaves no folder and no revision behind', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'gone soon' })
    await api().deleteAgent({ params: { agentId: agent.id } })
    await expect(readFile(diskPath(agent, 'SOUL.md'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(api().listAgentFiles({ params: { agentId: agent.id } })).rejects.toMatchObject({
      status: 404,
      code: 'agent_not_found',
    })
  })

  test('[RG39] refuses a text that is too long, by name', async () => {
    const { id } = await makeAgent()
    await expect(
      api().writeAgentFile({ params: soulOf(id), body: { content: 'x'.repeat(262_145), baseRevision: 0 } }),
    ).rejects.toMatchObject({ status: 400, code: 'body_invalid', message: expect.stringContaining('content') })
  })

  test('[RG48] refuses a working copy that is not text and keeps the revisions', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'text' })
    for (const bytes of [Buffer.from([0x66, 0xff, 0xfe]), Buffer.from('nul\0')]) {
      await writeFile(diskPath(agent, 'SOUL.md'), bytes)
      await expect(api().readAgentFile({ params: soulOf(agent.id) })).rejects.toMatchObject({
        status: 409,
        code: 'file_not_text',
      })
    }
    expect((await api().listAgentFileHistory({ params: soulOf(agent.id) })).revisions).toHaveLength(1)
  })

  test('[RG48] refuses a working copy that is too long to be written again', async () => {
    const agent = await makeAgent({ 'SOUL.md': 'text' })
    await writeFile(diskPath(agent, 'SOUL.md'), 'x'.repeat(300_000))
    await expect(api().readAgentFile({ params: soulOf(agent.id) })).rejects.toMatchObject({ code: 'file_too_large' })
  })

  test('[SE24] a file written while its agent is deleted is written or refused, never an internal error', async () => {
    for (let round = 0; round < 15; round++) {
      const { id } = await makeAgent()
      const body = { content: 'x', baseRevision: 0 }
      const outcomes = await Promise.allSettled([
        api().writeAgentFile({ params: soulOf(id), body }),
        api().deleteAgent({ params: { agentId: id } }),
      ])
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
      expect(refusals.filter((code) => code !== 'agent_not_found')).toEqual([])
    }
  })
})
