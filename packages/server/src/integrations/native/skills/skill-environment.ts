import { entryOf, type Skill, type SkillEntries } from './skill.ts'

/**
 * The variables that the configured skills bring for a child's environment. One that the environment has already is
 * left as it is; of two skills that want one variable the first counts. Whoever starts the child still decides which
 * names it takes.
 */
export function skillEnvironment(
  skills: readonly Skill[],
  entries: SkillEntries,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const brought = new Map<string, string>()
  const offer = (name: string, value: string) => {
    const taken = brought.has(name) || (Object.hasOwn(environment, name) && !!environment[name])
    if (!taken && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0')) brought.set(name, value)
  }
  for (const skill of skills) {
    const { env = {}, apiKey } = entryOf(skill, entries)
    for (const [name, value] of Object.entries(env)) offer(name, value)
    if (apiKey && skill.gate.primaryEnv) offer(skill.gate.primaryEnv, apiKey)
  }
  return Object.fromEntries(brought)
}
