import type { Skill } from './skill.ts'

/** A complete skill with overrides. */
export function testSkill(overrides: Partial<Skill> = {}): Skill {
  const name = overrides.name ?? 'a-skill'
  const folder = `/home/me/skills/${name}`
  return {
    name,
    description: `about ${name}`,
    location: 'managed',
    folder,
    file: `${folder}/SKILL.md`,
    modelInvocable: true,
    gate: { key: name, always: false, os: [], bins: [], anyBins: [], env: [], config: [] },
    ...overrides,
  }
}
