import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SKILL_LOCATIONS } from './skill.ts'
import { renderSkillsSection, SKILLS_BUDGET, type SkillsBudget } from './skills-section.ts'
import { testSkill } from './test-skill.ts'

const BASE = 368
const PER_SKILL = 97
const budget = (overrides: Partial<SkillsBudget> = {}): SkillsBudget => ({ ...SKILLS_BUDGET, ...overrides })
const escapedLength = (text: string) =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&apos;').length
const many = (
  count: number,
  location: (typeof SKILL_LOCATIONS)[number],
  prefix: string,
  description = 'd'.repeat(200),
) =>
  Array.from({ length: count }, (_, at) =>
    testSkill({ name: `${prefix}-${String(at).padStart(3, '0')}`, location, description }),
  )

test('[NR60] the list takes 368 characters, plus 97 and the escaped fields for each skill', () => {
  const text = fc
    .string({ unit: fc.constantFrom(...'abc <>&"\'ü'.split('')), minLength: 1, maxLength: 40 })
    .map((anySpecs) => `x${anySpecs}x`)
  const unique = fc.uniqueArray(text, { maxLength: 20 })
  fc.assert(
    fc.property(unique, text, (names, description) => {
      const tidy = (anySpecs: string) => anySpecs.replace(/\s+/g, ' ')
      const skills = names.map((name) =>
        testSkill({ name: tidy(name), description: tidy(description), file: `/s/${tidy(name)}` }),
      )
      const sizes = skills.map(
        (one) =>
          PER_SKILL + [one.name, one.description, one.file].reduce((sum, field) => sum + escapedLength(field), 0),
      )
      const expected = skills.length === 0 ? 0 : BASE + sizes.reduce((sum, size) => sum + size, 0)
      expect(renderSkillsSection(skills).text).toHaveLength(expected)
    }),
  )
})

test('[NR60] skills are sorted by name and escaped', () => {
  const skills = [
    testSkill({ name: 'zebra' }),
    testSkill({ name: 'apple', description: 'a </description></skill> & "b"\nc' }),
  ]
  const { text, shown } = renderSkillsSection(skills)
  expect(shown).toEqual(['apple', 'zebra'])
  expect(text.split('\n').slice(3, 12)).toEqual([
    '',
    '<available_skills>',
    '  <skill>',
    '    <name>apple</name>',
    '    <description>a &lt;/description&gt;&lt;/skill&gt; &amp; &quot;b&quot; c</description>',
    '    <location>/home/me/skills/apple/SKILL.md</location>',
    '  </skill>',
    '  <skill>',
    '    <name>zebra</name>',
  ])
})

test('[NR66] a skill that only a person can call is not in the prompt and does not count as cut', () => {
  const quiet = testSkill({ name: 'quiet', modelInvocable: false })
  expect(renderSkillsSection([quiet])).toEqual({ text: '', form: 'full', shown: [], cut: [], notice: null })
  expect(renderSkillsSection([quiet, testSkill()]).text).not.toContain('quiet')
})

test('[NR61] skills that do not fit with descriptions are listed without them, and the person is notified', () => {
  const skills = many(100, 'managed', 's')
  const { text, form, shown, cut, notice } = renderSkillsSection(skills)
  expect(form).toBe('compact')
  expect(shown).toHaveLength(100)
  expect(cut).toEqual([])
  expect(text).not.toContain('<description>')
  expect(text.length).toBeLessThanOrEqual(18_000)
  expect(notice).toBe('skills are in the prompt without their descriptions')
})

test('[NR61] skills that still do not fit are cut: the prompt shows how many, and the person sees which', () => {
  const { text, shown, cut, notice } = renderSkillsSection(many(10, 'managed', 's'), budget({ maxChars: 1200 }))
  expect(text.length).toBeLessThanOrEqual(1200)
  expect(shown.length).toBeGreaterThan(2)
  expect(shown.length + cut.length).toBe(10)
  expect(text).toContain(`included ${shown.length} of 10.`)
  for (const { name } of cut) expect(notice).toContain(name)
  const next = renderSkillsSection(many(shown.length + 1, 'managed', 's'), budget({ maxChars: 1200 }))
  expect(next.shown.length).toBeLessThanOrEqual(shown.length)
})

test('[NR61] at most 150 skills are in the prompt, however short', () => {
  const skills = Array.from({ length: 151 }, (_, at) => testSkill({ name: `s${at}`, description: 'd', file: '/f' }))
  const { shown, cut } = renderSkillsSection(skills, budget({ maxChars: 100_000 }))
  expect([shown.length, cut.length]).toEqual([150, 1])
})

test('[NR62] a workspace skill is kept while bundled skills with earlier names are cut', () => {
  const skills = [...many(200, 'bundled', 'a'), testSkill({ name: 'zz-own', location: 'workspace' })]
  const { shown, cut } = renderSkillsSection(skills)
  expect(shown).toContain('zz-own')
  expect(cut.length).toBeGreaterThan(0)
})

test('[NR62] no skill is cut while one from a less important location is shown', () => {
  const order = ['workspace', 'project', 'personal', 'managed', 'extra', 'bundled'] as const
  const anySpecs = fc.array(
    fc.record({ location: fc.constantFrom(...SKILL_LOCATIONS), size: fc.integer({ min: 1, max: 900 }) }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(
      anySpecs,
      fc.integer({ min: 0, max: 9000 }),
      fc.integer({ min: 0, max: 50 }),
      (specs, maxChars, maxSkills) => {
        const skills = specs.map(({ location, size }, at) =>
          testSkill({ name: `s-${(at * 7919) % 1000}-${at}`, location, description: 'd'.repeat(size) }),
        )
        const { text, shown, cut } = renderSkillsSection(skills, budget({ maxChars, maxSkills }))
        expect(text.length).toBeLessThanOrEqual(maxChars)
        expect([...shown, ...cut.map(({ name }) => name)].sort()).toEqual(skills.map(({ name }) => name).sort())
        const rank = (location: (typeof order)[number]) => order.indexOf(location)
        const worstShown = Math.max(
          -1,
          ...skills.filter(({ name }) => shown.includes(name)).map(({ location }) => rank(location)),
        )
        for (const { location } of cut) expect(rank(location)).toBeGreaterThanOrEqual(worstShown)
      },
    ),
  )
})
