import { execFileSync } from 'node:child_process'
import { link, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiError } from '@clawboo/api/client'
import { beforeAll, expect, test } from 'vitest'
import { oneServer } from '../one-server.ts'

const running = oneServer()
const api = () => running().client

let agentId: string
let folder: string
beforeAll(async () => {
  const agent = await api().createAgent({ body: { name: 'Ada' } })
  agentId = agent.id
  folder = join(running().home, 'runtimes', agent.runtime, agent.id, 'workspace')
  await mkdir(folder, { recursive: true })
})

const list = (path?: string) => api().listWorkspace({ params: { agentId }, query: { path } })
const read = (path: string) => api().readWorkspaceFile({ params: { agentId }, query: { path } })
const put = async (path: string, content: string | Buffer) => {
  await mkdir(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path), content)
}

test('[RU65] a folder that does not exist yet is listed as empty', async () => {
  const { id } = await api().createAgent({ body: { name: 'Fresh' } })
  await rm(join(folder, '..', '..', id), { recursive: true, force: true })
  expect(await api().listWorkspace({ params: { agentId: id } })).toEqual({ entries: [], truncated: false })
})

test('[RU60] lists folders first, then by name, with sizes and times, without the runtime’s own notes', async () => {
  await put('shelf/note 10.md', 'ten')
  await put('shelf/note 2.md', 'zwei é')
  await put('shelf/zoo/deep.txt', 'deep')
  await put('shelf/.hidden', '')
  await put('.clawboo/workspace-state.json', '{}')
  await symlink('note 2.md', join(folder, 'shelf', 'alias'))
  await utimes(join(folder, 'shelf', 'note 2.md'), 5, 5)
  const { entries, truncated } = await list('shelf')
  expect(entries.map(({ name, kind, bytes }) => [name, kind, bytes])).toEqual([
    ['zoo', 'folder', null],
    ['.hidden', 'file', 0],
    ['alias', 'other', null],
    ['note 2.md', 'file', 7],
    ['note 10.md', 'file', 3],
  ])
  expect([entries[3]!.modifiedAt, truncated]).toEqual([5000, false])
  const top = (await list()).entries.map(({ name }) => name)
  expect(top).toContain('shelf')
  expect(top).not.toContain('.clawboo')
  for (const path of ['.clawboo', '.CLAWBOO'])
    await expect(list(path)).rejects.toMatchObject({ code: 'file_not_found' })
  await expect(read('.clawboo/workspace-state.json')).rejects.toMatchObject({ code: 'file_not_found' })
})

test('[RU61] reads a file as text, only the beginning of a long file, and no text of a binary file', async () => {
  await put('notes/tea.md', '# Tee\n\ngrün 🍵\n')
  expect(await read('notes/tea.md')).toMatchObject({ text: '# Tee\n\ngrün 🍵\n', bytes: 18, truncated: false })
  await put('empty', '')
  expect(await read('empty')).toMatchObject({ text: '', bytes: 0, truncated: false })
  await put('whole', 'x'.repeat(256 * 1024))
  expect(await read('whole')).toMatchObject({ bytes: 262_144, truncated: false })
  // The limit falls in the middle of a character, which is left out.
  await put('long', `x${'é'.repeat(200_000)}`)
  const long = await read('long')
  expect(long).toMatchObject({ bytes: 400_001, truncated: true })
  expect(long.text).toBe(`x${'é'.repeat(131_071)}`)
  for (const bytes of [Buffer.from([0x66, 0xff, 0xfe]), Buffer.from('nul\0'), Buffer.from([0xc3])]) {
    await put('binary', bytes)
    expect(await read('binary')).toMatchObject({ text: null, bytes: bytes.length, truncated: false })
  }
})

test('[RU62] refuses paths that leave the workspace, special files and invalid names, and reveals nothing about their targets', async () => {
  const secret = join(running().home, 'runtimes', 'secret.txt')
  await writeFile(secret, 'not for eyes')
  await symlink(secret, join(folder, 'link.txt'))
  await symlink('/', join(folder, 'way-out'))
  await symlink('notes', join(folder, 'loop-in'))
  await link(secret, join(folder, 'twin.txt'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await put('plain.txt', 'plain')
  const refusal = async (asking: Promise<unknown>, path: string) => {
    const refused = await asking.then(
      () => expect.fail(`"${path}" was not refused`),
      (error: ApiError) => error,
    )
    expect({ path, status: refused.status, code: refused.code }).toEqual({ path, status: 400, code: 'path_refused' })
    expect(JSON.stringify(refused.details) + refused.message).not.toContain('not for eyes')
  }
  const nowhere = [
    '.',
    '..',
    '../SOUL.md',
    '../../secret.txt',
    'notes/../../../secret.txt',
    'notes/..',
    './notes',
    'notes/',
    'notes//tea.md',
    '/',
    '/etc/passwd',
    secret,
    '..\\secret.txt',
    'C:\\secret.txt',
    'a\0b',
    '\0',
    'way-out/etc/passwd',
    'link.txt',
    'link.txt/x',
    'plain.txt/x',
    'n'.repeat(300),
    `notes/${'é'.repeat(200)}`,
  ]
  for (const path of nowhere) {
    await refusal(list(path), path)
    await refusal(read(path), path)
  }
  for (const path of ['', 'twin.txt', 'pipe', 'notes', 'loop-in', 'loop-in/tea.md']) await refusal(read(path), path)
  for (const path of ['way-out', 'loop-in', 'pipe', 'plain.txt']) await refusal(list(path), path)
  await expect(read('n'.repeat(1025))).rejects.toMatchObject({ status: 400, code: 'request_invalid' })
  await expect(list('n/'.repeat(600))).rejects.toMatchObject({ status: 400, code: 'request_invalid' })
})

test('[RU63] distinguishes an unknown Boo, a missing workspace and a missing path', async () => {
  const person = await api().createAgent({ body: { name: 'Robin', participantKind: 'human' } })
  const codes = async (id: string, path: string) => {
    const input = { params: { agentId: id }, query: { path } }
    const answers = await Promise.allSettled([api().listWorkspace(input), api().readWorkspaceFile(input)])
    return answers.map((answer) => answer.status === 'rejected' && [answer.reason.status, answer.reason.code])
  }
  const both = (status: number, code: string) => [
    [status, code],
    [status, code],
  ]
  expect(await codes('nobody', 'x')).toEqual(both(404, 'agent_not_found'))
  expect(await codes(person.id, 'x')).toEqual(both(409, 'agent_cannot_run'))
  expect(await codes(agentId, 'nothing/here')).toEqual(both(404, 'file_not_found'))
  expect(await codes(agentId, '%2e%2e/%2e%2e')).toEqual(both(404, 'file_not_found'))
})

test('[RU64] reports a folder with more than a thousand entries', async () => {
  await mkdir(join(folder, 'many'))
  for (let n = 0; n < 1000; n++) await writeFile(join(folder, 'many', `${n}`), '')
  const whole = await list('many')
  expect([whole.entries.length, whole.entries[999]?.name, whole.truncated]).toEqual([1000, '999', false])
  await mkdir(join(folder, 'many', 'zz'))
  const more = await list('many')
  expect([more.entries.length, more.entries[0]?.name, more.truncated]).toEqual([1000, 'zz', true])
})
