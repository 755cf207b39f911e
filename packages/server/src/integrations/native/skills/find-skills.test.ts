import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { skillRoots } from './agent-skills.ts'
import { createSkillReader, findSkills, SKILL_LIMITS, type SkillLimits } from './find-skills.ts'
import { judgeSkill } from './judge-skill.ts'
import { SKILL_LOCATIONS, type SkillRoot } from './skill.ts'
import { renderSkillsSection } from './skills-section.ts'

let folder: string
let workspace: string
let roots: SkillRoot[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawboo-skills-'))
  workspace = join(folder, 'workspace')
  await mkdir(workspace)
  const place = (name: string) => join(folder, name)
  roots = skillRoots({
    workspace,
    userHome: place('me'),
    home: place('home'),
    bundled: place('bundled'),
    extraDirs: [place('extra')],
  })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = async (path: string, text: string) => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
const skill = (path: string, name: string, description = `about ${name}`) =>
  put(join(path, 'SKILL.md'), `---\nname: ${name}\ndescription: ${description}\n---\nbody of ${name}\n`)
const find = ({ limits, from = roots }: { limits?: SkillLimits; from?: SkillRoot[] } = {}) =>
  findSkills(from, createSkillReader(limits), limits)
const names = async (from: SkillRoot[]) => (await find({ from })).skills.map(({ name }) => name)

describe('locations of skills', () => {
  test('[NR50] there are six locations, and of two skills with one name the higher location wins', async () => {
    expect(roots.map(({ location }) => location)).toEqual([...SKILL_LOCATIONS])
    expect(await find()).toEqual({ skills: [], problems: [] })
    for (const [at, root] of roots.toReversed().entries()) {
      await skill(join(root.path, 'same'), 'same', root.location)
      await skill(join(root.path, `own-${at}`), `own-${at}`)
      const { skills } = await find()
      expect(skills.find(({ name }) => name === 'same')).toMatchObject({
        location: root.location,
        description: root.location,
      })
      expect(skills).toHaveLength(at + 2)
    }
  })

  test('[NR51] a root with a SKILL.md is one skill', async () => {
    const [root] = roots
    await skill(root!.path, 'whole')
    await skill(join(root!.path, 'below'), 'below')
    expect(await names([root!])).toEqual(['whole'])
  })

  test('[NR51] a folder named `skills` that contains skills replaces its root', async () => {
    const extra = roots.at(-1)!
    await skill(join(extra.path, 'outside'), 'outside')
    await skill(join(extra.path, 'skills', 'inside'), 'inside')
    await skill(join(extra.path, 'skills', 'group', 'deep'), 'deep')
    expect(await names([extra])).toEqual(['deep', 'inside'])
  })

  test('[NR51] skills are in the folders of a root and one level of groups below, but not in hidden folders', async () => {
    const [root] = roots
    await skill(join(root!.path, 'plain'), 'plain')
    await skill(join(root!.path, 'group', 'grouped'), 'grouped')
    await skill(join(root!.path, 'group', 'again', 'too-deep'), 'too-deep')
    await skill(join(root!.path, '.hidden'), 'hidden')
    await skill(join(root!.path, 'group', '.hidden'), 'hidden-too')
    await skill(join(root!.path, 'node_modules', 'dependency'), 'dependency')
    await put(join(root!.path, 'README.md'), 'not a skill')
    expect(await names([root!])).toEqual(['grouped', 'plain'])
  })

  test('[NR52] the limits on folders, skills and bytes are enforced and reported', async () => {
    const [root] = roots
    for (let at = 0; at < 6; at++) await skill(join(root!.path, `s${at}`), `s${at}`)
    const few = { ...SKILL_LIMITS, maxCandidates: 4, maxSkills: 3 }
    const { skills, problems } = await find({ limits: few })
    expect(skills.map(({ name }) => name)).toEqual(['s0', 's1', 's2'])
    expect(problems.map(({ problem }) => problem)).toEqual([
      'has more than 4 folders; the rest was skipped',
      'has 4 skills; only the first 3 are used',
    ])
    expect(SKILL_LIMITS).toEqual({ maxCandidates: 300, maxSkills: 200, maxBytes: 256_000 })
    const frame = '---\nname: big\ndescription: d\n---\n'
    await put(join(root!.path, 's0', 'SKILL.md'), frame.padEnd(256_000, 'x'))
    expect((await find()).skills.map(({ name }) => name)).toContain('big')
    await put(join(root!.path, 's0', 'SKILL.md'), frame.padEnd(256_001, 'x'))
    expect(await find()).toMatchObject({
      problems: [{ path: join(root!.path, 's0', 'SKILL.md'), problem: 'cannot be used: too large' }],
    })
  })

  test('[NR52] an unreadable skill does not affect the others', async () => {
    const [root] = roots
    await skill(join(root!.path, 'good'), 'good')
    await skill(join(root!.path, 'twin'), 'good')
    await put(join(root!.path, 'bare', 'SKILL.md'), '# no front matter')
    await put(join(root!.path, 'empty', 'SKILL.md'), '---\nname: x\n---\n')
    const { skills, problems } = await find()
    expect(skills.map(({ folder }) => folder)).toEqual([join(root!.path, 'good')])
    expect(problems.map(({ path }) => path).sort()).toEqual(
      ['bare', 'empty', 'twin'].map((name) => join(root!.path, name, 'SKILL.md')),
    )
  })
})

describe('links', () => {
  const linked = async (root: SkillRoot) => {
    await skill(join(folder, 'outside', 'linked'), 'linked')
    await mkdir(root.path, { recursive: true })
    await symlink(join(folder, 'outside', 'linked'), join(root.path, 'linked'))
    return find({ from: [root] })
  }

  test.each(['workspace', 'project', 'bundled', 'extra'])(
    '[NR53] a link out of the %s root is refused and reported',
    async (location) => {
      const root = roots.find((one) => one.location === location)!
      const { skills, problems } = await linked(root)
      expect(skills).toEqual([])
      expect(problems).toEqual([{ path: join(root.path, 'linked'), problem: 'is a link to a place outside its root' }])
    },
  )

  test.each(['personal', 'managed'])('[NR53] the %s root may link to skills in other folders', async (location) => {
    const root = roots.find((one) => one.location === location)!
    expect((await linked(root)).skills).toMatchObject([{ name: 'linked', file: join(root.path, 'linked', 'SKILL.md') }])
  })

  test('[NR53] in every root SKILL.md itself must be inside its own folder', async () => {
    for (const root of roots) {
      await put(join(folder, 'secret'), '---\nname: stolen\ndescription: secret\n---\n')
      await mkdir(join(root.path, 'bad'), { recursive: true })
      await symlink(join(folder, 'secret'), join(root.path, 'bad', 'SKILL.md'))
      await put(join(root.path, 'good', 'text.md'), '---\nname: inside\ndescription: d\n---\n')
      await symlink('text.md', join(root.path, 'good', 'SKILL.md'))
      const { skills, problems } = await find({ from: [root] })
      expect(skills.map(({ name }) => name)).toEqual(['inside'])
      expect(problems).toEqual([
        { path: join(root.path, 'bad', 'SKILL.md'), problem: 'is a link to a place outside its folder' },
      ])
    }
  })

  test('[NR53] a workspace root that is a link out of the workspace has no skills', async () => {
    await skill(join(folder, 'outside', 'linked'), 'linked')
    await symlink(join(folder, 'outside'), join(workspace, 'skills'))
    expect(await find()).toEqual({
      skills: [],
      problems: [{ path: join(workspace, 'skills'), problem: 'is a link to a place outside the workspace' }],
    })
  })

  test('[NR53] a link within the root is followed, and a loop of links ends', async () => {
    const [root] = roots
    await skill(join(root!.path, 'group', 'real'), 'real')
    await symlink('group', join(root!.path, 'alias'))
    await symlink('.', join(root!.path, 'loop'))
    expect(await names([root!])).toEqual(['real'])
  })
})

test('[NR63] a changed, added or removed skill and a new root are found in the next run', async () => {
  const reader = createSkillReader()
  const seen = async () =>
    (await findSkills(roots, reader)).skills.map(({ name, description }) => `${name}: ${description}`)
  expect(await seen()).toEqual([])
  const first = join(roots[0]!.path, 'first')
  await skill(first, 'first', 'one')
  expect(await seen()).toEqual(['first: one'])
  const past = new Date(1_700_000_000_000)
  await utimes(join(first, 'SKILL.md'), past, past)
  expect(await seen()).toEqual(['first: one'])
  await skill(first, 'first', 'two')
  await utimes(join(first, 'SKILL.md'), past, past)
  expect(await seen()).toEqual(['first: two'])
  await skill(join(roots[3]!.path, 'second'), 'second', 'new root')
  expect(await seen()).toEqual(['first: two', 'second: new root'])
  await rm(first, { recursive: true })
  expect(await seen()).toEqual(['second: new root'])
})

test('[NR65] the bundled skills are valid, name their requirements, and fit into the prompt', async () => {
  const bundled = {
    location: 'bundled',
    path: join(import.meta.dirname, '..', 'bundled-skills'),
    within: null,
  } as const
  const { skills, problems } = await find({ from: [bundled] })
  expect(problems).toEqual([])
  expect(skills.map(({ name }) => name)).toEqual(['review-a-change', 'tidy-memory', 'write-a-skill'])
  for (const one of skills) expect(one.folder).toBe(join(bundled.path, one.name))
  const context = { disabled: [], platform: 'linux', environment: {}, allowedSkills: null }
  const without = skills.map((one) => judgeSkill(one, { ...context, hasProgram: () => false }).eligible)
  expect(without).toEqual([false, true, true])
  expect(renderSkillsSection(skills)).toMatchObject({ form: 'full', cut: [], notice: null })
})
