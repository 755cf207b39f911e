import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentFileName } from '@clawboo/core/registry'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isSoak } from '../../../../../../test/seed.ts'
import { type EnsureWorkspaceOptions, ensureWorkspace } from './ensure-workspace.ts'
import { seedTexts } from './templates.ts'

let folder: string
let workspace: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawboo-workspace-'))
  workspace = join(folder, 'agent', 'workspace')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const ensure = (overrides: Partial<EnsureWorkspaceOptions> = {}) =>
  ensureWorkspace({
    workspace,
    agentName: 'Ada',
    hasRevision: async () => false,
    run: { withPerson: true, canReachFile: true },
    now: () => 1_700_000_000_000,
    ...overrides,
  })
const at = (name: string) => join(workspace, name)
const exists = (name: string) =>
  access(at(name)).then(
    () => true,
    () => false,
  )
const put = async (files: Record<string, string>) => {
  await mkdir(workspace, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(at(name), text)
}
const storedState = async () => JSON.parse(await readFile(at('.clawboo/workspace-state.json'), 'utf8'))

describe('seeding', () => {
  test('[NR18] a new workspace gets its seed files and the ritual, and nothing else', async () => {
    const { seeded, ritual, ritualPending } = await ensure()
    const made = ['AGENTS.md', 'BOOTSTRAP.md', 'HEARTBEAT.md', 'IDENTITY.md', 'SOUL.md', 'TOOLS.md', 'USER.md']
    expect([...seeded].sort()).toEqual(made)
    expect((await readdir(workspace)).sort()).toEqual(['.clawboo', ...made])
    expect([ritual, ritualPending]).toEqual(['full', true])
    expect(await readFile(at('IDENTITY.md'), 'utf8')).toContain('Name: Ada')
    expect(await readFile(at('BOOTSTRAP.md'), 'utf8')).toContain('Ada')
    expect((await ensure()).seeded).toEqual([])
  })

  test('[NR18] the seed files are short, and the name of an agent cannot add lines to them', () => {
    const texts = [...seedTexts('Ada\n\n# Orders\nobey').values()]
    expect(texts.join('').length).toBeLessThan(4000)
    expect(texts.join('\n')).not.toMatch(/^# Orders/m)
  })

  test('[NR19] existing files and links are left unchanged', async () => {
    await put({ 'TOOLS.md': 'mine', 'SOUL.md': '' })
    await writeFile(join(folder, 'outside'), 'outside')
    await symlink(join(folder, 'outside'), at('USER.md'))
    await symlink(join(folder, 'not-there'), at('HEARTBEAT.md'))
    const { seeded } = await ensure()
    expect([...seeded].sort()).toEqual(['AGENTS.md', 'IDENTITY.md'])
    expect(await readFile(at('TOOLS.md'), 'utf8')).toBe('mine')
    expect(await readFile(at('SOUL.md'), 'utf8')).toBe('')
    expect(await readFile(join(folder, 'outside'), 'utf8')).toBe('outside')
    expect((await readdir(folder)).sort()).toEqual(['agent', 'outside'])
  })

  test('[NR19] a missing file with a revision is not replaced by a template, and its workspace does not count as new', async () => {
    const { seeded, ritualPending } = await ensure({ hasRevision: async (name) => name === 'SOUL.md' })
    expect(seeded).not.toContain('SOUL.md')
    expect(seeded).not.toContain('BOOTSTRAP.md')
    expect(await exists('SOUL.md')).toBe(false)
    expect(ritualPending).toBe(false)
  })

  test('[NR20] with skipBootstrap only the folder is created, and a BOOTSTRAP.md from the user is pending', async () => {
    expect(await ensure({ skipBootstrap: true })).toMatchObject({ seeded: [], ritual: 'none' })
    expect(await readdir(workspace)).toEqual([])
    await put({ 'BOOTSTRAP.md': 'our own ritual' })
    expect(await ensure({ skipBootstrap: true })).toMatchObject({ seeded: [], ritual: 'full' })
    expect(await readdir(workspace)).toEqual(['BOOTSTRAP.md'])
  })

  test('[NR20] optional files can be left out, required ones cannot', async () => {
    const skipped: AgentFileName[] = ['SOUL.md', 'HEARTBEAT.md', 'AGENTS.md']
    const { seeded } = await ensure({ skipOptionalBootstrapFiles: skipped })
    expect([...seeded].sort()).toEqual(['AGENTS.md', 'BOOTSTRAP.md', 'IDENTITY.md', 'TOOLS.md', 'USER.md'])
  })
})

describe('the ritual', () => {
  test.each(['AGENTS.md', 'SOUL.md', 'HEARTBEAT.md', 'MEMORY.md', '.git', 'memory'])(
    '[NR21] a workspace with its own %s is not new and never gets the ritual',
    async (name) => {
      if (name.endsWith('.md')) await put({ [name]: 'somebody was here' })
      else await mkdir(at(name), { recursive: true })
      expect(await ensure()).toMatchObject({ ritual: 'none', ritualPending: false })
      expect(await exists('BOOTSTRAP.md')).toBe(false)
      expect((await storedState()).setupCompletedAt).toBe('2023-11-14T22:13:20.000Z')
    },
  )

  test('[NR21] a first start that stops half-way does not lose the ritual', async () => {
    await put(Object.fromEntries([...seedTexts('Ada')].slice(0, 3)))
    await put({ 'USER.md': '' })
    expect((await ensure()).seeded).toContain('BOOTSTRAP.md')
  })

  test('[NR22] a deleted ritual never returns, even after all other files are deleted too', async () => {
    await ensure()
    await rm(at('BOOTSTRAP.md'))
    expect(await ensure()).toMatchObject({ ritual: 'none', ritualPending: false, seeded: [] })
    for (const name of await readdir(workspace)) if (name !== '.clawboo') await rm(at(name))
    expect((await ensure()).seeded).not.toContain('BOOTSTRAP.md')
    expect(await exists('BOOTSTRAP.md')).toBe(false)
  })

  test.each(['SOUL.md', 'IDENTITY.md', 'USER.md', 'MEMORY.md', 'memory'])(
    '[NR23] when %s has been filled in, the ritual ends and BOOTSTRAP.md is deleted',
    async (name) => {
      await ensure()
      expect((await ensure()).ritual).toBe('full')
      if (name === 'memory') await mkdir(at(name))
      else await writeFile(at(name), 'filled in')
      expect(await ensure()).toMatchObject({ ritual: 'none', ritualPending: false })
      expect(await exists('BOOTSTRAP.md')).toBe(false)
      expect(await storedState()).toMatchObject({ setupCompletedAt: expect.any(String) })
    },
  )

  test('[NR23] other work, or renaming the agent, does not end the ritual', async () => {
    await ensure()
    await put({ 'TOOLS.md': 'changed', 'notes.txt': 'x' })
    expect((await ensure({ agentName: 'Grace' })).ritual).toBe('full')
  })

  test('[NR24] a BOOTSTRAP.md that the runtime did not write is pending despite a filled-in profile, and is never deleted', async () => {
    await put({ 'BOOTSTRAP.md': 'the team’s own ritual', 'SOUL.md': 'kind', 'IDENTITY.md': 'Ada', 'USER.md': 'Grace' })
    expect(await ensure()).toMatchObject({ ritual: 'full', ritualPending: true })
    expect((await ensure()).ritual).toBe('full')
    await writeFile(at('USER.md'), 'Grace, who likes short answers')
    expect(await ensure()).toMatchObject({ ritual: 'none', ritualPending: false })
    expect(await readFile(at('BOOTSTRAP.md'), 'utf8')).toBe('the team’s own ritual')
  })

  test('[NR24] a BOOTSTRAP.md that was changed after the runtime wrote it is not deleted', async () => {
    await ensure()
    await writeFile(at('BOOTSTRAP.md'), 'changed')
    await writeFile(at('SOUL.md'), 'kind')
    expect((await ensure()).ritualPending).toBe(false)
    expect(await readFile(at('BOOTSTRAP.md'), 'utf8')).toBe('changed')
  })

  test('[NR25] a BOOTSTRAP.md that reappears after the ritual has ended is not pending', async () => {
    await ensure()
    await rm(at('BOOTSTRAP.md'))
    await ensure()
    await put({ 'BOOTSTRAP.md': 'again' })
    expect(await ensure()).toMatchObject({ ritual: 'none', ritualPending: false })
    expect(await exists('BOOTSTRAP.md')).toBe(true)
  })

  test.each(['', '{', '[]', '{"version":2}', 'null'])(
    '[NR26] a stored state of %j neither restarts a finished ritual nor ends a pending one',
    async (text) => {
      await ensure()
      await writeFile(at('.clawboo/workspace-state.json'), text)
      expect((await ensure()).ritual).toBe('full')
      await rm(at('BOOTSTRAP.md'))
      await writeFile(at('.clawboo/workspace-state.json'), text)
      expect(await ensure()).toMatchObject({ ritualPending: false, seeded: [], problem: null })
    },
  )

  test('[NR26] a link in place of the state folder is not followed, and the problem is reported', async () => {
    await mkdir(workspace, { recursive: true })
    await mkdir(join(folder, 'elsewhere'))
    await symlink(join(folder, 'elsewhere'), at('.clawboo'))
    const { problem, seeded } = await ensure()
    expect(problem).toContain('cannot be written')
    expect(seeded).not.toContain('BOOTSTRAP.md')
    expect(await readdir(join(folder, 'elsewhere'))).toEqual([])
  })

  test.each(['at the first start', 'later'])(
    '[NR27] a file whose creation was killed half-way, %s, is completed, and no draft is left behind',
    async (when) => {
      if (when === 'later') {
        await ensure()
        await rm(at('SOUL.md'))
        await rm(at('USER.md'))
      } else await mkdir(workspace, { recursive: true })
      await writeFile(at('.SOUL.md.clawboo-draft'), '')
      await writeFile(at('.USER.md.clawboo-draft'), seedTexts('Ada').get('USER.md')!)
      await link(at('.USER.md.clawboo-draft'), at('USER.md'))
      const { ritualPending } = await ensure()
      expect(ritualPending).toBe(true)
      for (const [name, text] of seedTexts('Ada')) expect(await readFile(at(name), 'utf8')).toBe(text)
      expect((await readdir(workspace)).filter((name) => name.includes('draft'))).toEqual([])
    },
  )

  test('[NR27] after a kill at any moment the next start finds a usable state and the ritual at most once', async () => {
    const module = join(import.meta.dirname, 'ensure-workspace.ts')
    for (let round = 0; round < (isSoak ? 40 : 4); round++) {
      const program = `const { ensureWorkspace } = await import(${JSON.stringify(module)})
        const { rmSync } = await import('node:fs')
        const run = { withPerson: true, canReachFile: true }
        const options = { workspace: ${JSON.stringify(workspace)}, agentName: 'Ada', hasRevision: async () => false, run, now: Date.now }
        process.stdout.write('on\\n')
        for (;;) { rmSync(options.workspace, { recursive: true, force: true }); await ensureWorkspace(options); await ensureWorkspace(options) }`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, 5 + round * 3))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const { ritualPending, problem } = await ensure()
      expect(problem).toBeNull()
      expect(await storedState()).toMatchObject({ version: 1 })
      expect(ritualPending).toBe((await exists('BOOTSTRAP.md')) && (await storedState()).setupCompletedAt === undefined)
      if (ritualPending) await rm(at('BOOTSTRAP.md'))
      expect((await ensure()).ritualPending).toBe(false)
      expect(await exists('BOOTSTRAP.md')).toBe(false)
    }
  })
})
