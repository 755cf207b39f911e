import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProgramLookup, judgeSkill, type SkillContext } from './judge-skill.ts'
import type { Skill, SkillGate } from './skill.ts'
import { testSkill } from './test-skill.ts'

const gated = (gate: Partial<SkillGate>, overrides: Partial<Skill> = {}): Skill => {
  const skill = testSkill(overrides)
  return { ...skill, gate: { ...skill.gate, ...gate } }
}
const context = (overrides: Partial<SkillContext> = {}): SkillContext => ({
  disabled: [],
  platform: 'linux',
  hasProgram: () => false,
  environment: {},
  allowedSkills: null,
  ...overrides,
})
const verdict = (skill: Skill, overrides: Partial<SkillContext> = {}) => {
  const judged = judgeSkill(skill, context(overrides))
  return judged.eligible ? 'in' : judged.reason
}

test('[NR57] a skill is checked in order: switch, platform, requirements, the agent’s list', () => {
  const skill = gated({ os: ['darwin'], bins: ['ffmpeg'], key: 'media' }, { name: 'video', location: 'bundled' })
  expect(verdict(skill, { disabled: ['media'], allowedSkills: [] })).toBe('is switched off')
  const allowed = { allowedSkills: [] }
  expect(verdict(skill, allowed)).toBe('works only on darwin, not on linux')
  expect(verdict(skill, { ...allowed, platform: 'darwin' })).toBe('needs the program ffmpeg on PATH')
  const ready = { ...allowed, platform: 'darwin', hasProgram: () => true }
  expect(verdict(skill, ready)).toBe('is not on the list of skills of this agent')
  expect(verdict(skill, { ...ready, allowedSkills: ['video'] })).toBe('in')
  expect(verdict(skill, { ...ready, allowedSkills: null })).toBe('in')
})

test('[NR57] `always` skips the requirements, but not the switch, platform or agent’s list', () => {
  const skill = gated({ always: true, bins: ['ffmpeg'], env: ['KEY'], config: ['a.b'] }, { location: 'bundled' })
  expect(verdict(skill)).toBe('in')
  expect(verdict(skill, { disabled: [skill.name] })).toBe('is switched off')
  expect(verdict({ ...skill, gate: { ...skill.gate, os: ['win32'] } })).toContain('win32')
  expect(verdict(skill, { allowedSkills: [] })).toContain('this agent')
})

test('[NR58] a missing requirement is named: programs, one of several, variables, settings', () => {
  const has = (...programs: string[]) => ({ hasProgram: (name: string) => programs.includes(name) })
  expect(verdict(gated({ bins: ['git', 'ffmpeg'] }), has('git'))).toBe('needs the program ffmpeg on PATH')
  expect(verdict(gated({ anyBins: ['rg', 'grep'] }), has('git'))).toBe('needs one of the programs rg, grep on PATH')
  expect(verdict(gated({ anyBins: ['rg', 'grep'] }), has('grep'))).toBe('in')
  const keyed = gated({ env: ['KEY'], key: 'k' })
  expect(verdict(keyed)).toBe('needs the variable KEY')
  expect(verdict(keyed, { environment: { KEY: '' } })).toBe('needs the variable KEY')
  expect(verdict(keyed, { environment: { KEY: 'x' } })).toBe('in')
  expect(verdict(gated({ config: ['mail.on'] }))).toBe('needs the setting mail.on')
})

test('[NR58] inherited object properties do not count', () => {
  expect(verdict(gated({ env: ['constructor'] }))).toContain('variable')
  expect(verdict(gated({ key: 'constructor' }))).toBe('in')
})

test('[NR58] macos and windows are accepted as platform names', () => {
  expect(verdict(gated({ os: ['macOS'] }), { platform: 'darwin' })).toBe('in')
  expect(verdict(gated({ os: ['windows', 'linux'] }), { platform: 'win32' })).toBe('in')
})

test('[NR67] a program is an executable file with a plain name in an absolute folder of PATH', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-programs-'))
  await writeFile(join(folder, 'tool'), '')
  await chmod(join(folder, 'tool'), 0o755)
  await writeFile(join(folder, 'text'), '')
  await chmod(join(folder, 'text'), 0o644)
  await mkdir(join(folder, 'folder'))
  const has = createProgramLookup(`:relative:/nowhere:${folder}`)
  expect(['tool', 'text', 'folder', 'absent'].map(has)).toEqual([true, false, false, false])
  for (const name of ['', '.', '..', join(folder, 'tool'), `../${folder}/tool`, 'a\0']) expect(has(name)).toBe(false)
  await rm(folder, { recursive: true })
})
