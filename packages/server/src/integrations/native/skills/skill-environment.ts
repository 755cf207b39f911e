import { entryOf, type Skill, type SkillEntries } from './skill.ts'

/**
 * The environment variables that the configured skills set for child processes. Never overrides an existing variable. If
 * two skills set the same variable, the first one wins. The caller still decides which names a child process gets.
 */
export function skillEnvironment(
  skills: readonly Skill[],
  entries: SkillEntries,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const variables = new Map<string, string>()
  const offer = (name: string, value: string) => {
    const taken = variables.has(name) || (Object.hasOwn(environment, name) && !!environment[name])
    if (!taken && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0')) variables.set(name, value)
  }
  for (const skill of skills) {
    const { env = {}, apiKey } = entryOf(skill, entries)
    for (const [name, value] of Object.entries(env)) offer(name, value)
    if (apiKey && skill.gate.primaryEnv) offer(skill.gate.primaryEnv, apiKey)
  }
  return Object.fromEntries(variables)
}
