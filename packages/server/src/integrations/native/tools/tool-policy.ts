import { matchesWildcard } from './wildcard.ts'

export type ToolProfile = 'minimal' | 'coding' | 'messaging' | 'full'

/** What one place says about tools. A name may be a tool, `group:<name>`, or hold `*`; case does not matter. */
export interface ToolRules {
  readonly profile?: ToolProfile
  /** Widens the profile. */
  readonly alsoAllow?: readonly string[]
  /** Empty or absent = everything. */
  readonly allow?: readonly string[]
  /** Wins over every allowance. */
  readonly deny?: readonly string[]
  /** By provider, or by `provider/model`. */
  readonly byProvider?: Readonly<Record<string, Omit<ToolRules, 'byProvider'>>>
}

export interface ToolPolicy {
  readonly everyone?: ToolRules
  /** Its profile, when it has one, stands in for that of `everyone`. */
  readonly agent?: ToolRules
  /** Whatever else takes tools away, such as a team's or a task's rules. */
  readonly further?: readonly { readonly from: string; readonly rules: Omit<ToolRules, 'byProvider'> }[]
  readonly model?: { readonly provider: string; readonly model: string }
  /** Groups beside the known ones, such as those of connected servers. */
  readonly groups?: Readonly<Record<string, readonly string[]>>
}

export interface ToolVerdict {
  readonly tool: string
  readonly allowed: boolean
  readonly reason: string
}

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  runtime: ['exec', 'process', 'code_execution'],
  fs: ['read', 'write', 'edit', 'apply_patch'],
  sessions: [
    'sessions_list',
    'sessions_history',
    'sessions_send',
    'sessions_spawn',
    'sessions_yield',
    'session_status',
  ],
  memory: ['memory_search', 'memory_get', 'memory_save', 'memory_browse', 'memory_forget'],
  web: ['web_search', 'web_fetch'],
  ui: ['browser', 'canvas'],
  automation: ['cron', 'gateway'],
  messaging: ['message'],
  nodes: ['nodes'],
  agents: ['agents_list'],
  media: ['image', 'image_generate', 'video_generate', 'tts'],
}

const PROFILES: Readonly<Record<ToolProfile, readonly string[] | null>> = {
  minimal: ['session_status'],
  coding: [
    ...['group:fs', 'group:runtime', 'group:web', 'group:sessions', 'group:memory'],
    ...['cron', 'image', 'image_generate', 'video_generate'],
  ],
  messaging: ['message', 'sessions_list', 'sessions_history', 'sessions_send', 'session_status'],
  full: null,
}

/**
 * Judges every tool: one step after the other, and each step can only take away. The reason names the step that took a
 * tool away. Warnings tell of names that stand for no tool.
 */
export function judgeTools(
  policy: ToolPolicy,
  tools: readonly string[],
): { readonly verdicts: readonly ToolVerdict[]; readonly warnings: readonly string[] } {
  const steps = stepsOf(policy)
  const groups = { ...GROUPS, ...lowerKeys(policy.groups ?? {}) }
  const verdicts = tools.map((tool) => {
    for (const step of steps) {
      const reason = objection(step, tool.toLowerCase(), groups)
      if (reason !== null) return { tool, allowed: false, reason }
    }
    return { tool, allowed: true, reason: steps.length === 0 ? 'no rule speaks of tools' : 'no rule takes it away' }
  })
  return { verdicts, warnings: steps.flatMap((step) => unknownNames(step, tools, groups)) }
}

/** A list that a tool must be on, or must not be on, and where it comes from. */
interface Step {
  readonly from: string
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

function stepsOf({ everyone, agent, further = [], model }: ToolPolicy): Step[] {
  const providerRules = (rules: ToolRules | undefined) => {
    const find = (key: string) =>
      Object.entries(rules?.byProvider ?? {}).find(([name]) => name.toLowerCase() === key)?.[1]
    if (!model) return undefined
    const provider = model.provider.toLowerCase()
    return find(`${provider}/${model.model.toLowerCase()}`) ?? find(provider)
  }
  const [everyoneByProvider, agentByProvider] = [providerRules(everyone), providerRules(agent)]
  const profile = agent?.profile ?? everyone?.profile
  const widened = [...(everyone?.alsoAllow ?? []), ...(agent?.alsoAllow ?? [])]
  const providerProfile = agentByProvider?.profile ?? everyoneByProvider?.profile
  const widenedByProvider = [...(everyoneByProvider?.alsoAllow ?? []), ...(agentByProvider?.alsoAllow ?? [])]
  const step = (from: string, rules: Omit<ToolRules, 'byProvider'> | undefined): Step[] =>
    rules ? [{ from, allow: rules.allow, deny: rules.deny }] : []
  return [
    ...profileStep('the profile', profile, widened),
    ...profileStep('the profile for this provider', providerProfile, [...widened, ...widenedByProvider]),
    ...step('the rules for everyone', everyone),
    ...step('the rules for everyone on this provider', everyoneByProvider),
    ...step('the rules of this agent', agent),
    ...step('the rules of this agent on this provider', agentByProvider),
    ...further.flatMap(({ from, rules }) => [
      ...profileStep(`the profile of ${from}`, rules.profile, rules.alsoAllow ?? []),
      ...step(from, rules),
    ]),
  ]
}

function profileStep(from: string, profile: ToolProfile | undefined, widened: readonly string[]): Step[] {
  const list = profile && PROFILES[profile]
  return list ? [{ from: `${from} "${profile}"`, allow: [...list, ...widened] }] : []
}

type Groups = Readonly<Record<string, readonly string[]>>

function objection(step: Step, tool: string, groups: Groups): string | null {
  const denied = step.deny?.find((name) => names(name, tool, groups))
  if (denied !== undefined) {
    const own = tool === 'apply_patch' && clean(denied) === 'write' ? ' (apply_patch writes files too)' : ''
    return `denied as "${denied}" by ${step.from}${own}`
  }
  if (!step.allow || step.allow.length === 0) return null
  return step.allow.some((name) => names(name, tool, groups)) ? null : `not listed by ${step.from}`
}

/** Whether a name of a rule stands for a tool. Who may or may not write, may or may not patch. */
function names(name: string, tool: string, groups: Groups): boolean {
  const wanted = expand(name, groups)
  return wanted.some(
    (each) => matchesWildcard(each, tool) || (tool === 'apply_patch' && !each.includes('*') && each === 'write'),
  )
}

function expand(name: string, groups: Groups): readonly string[] {
  const word = clean(name)
  if (!word.startsWith('group:')) return [word]
  const group = word.slice('group:'.length)
  return Object.hasOwn(groups, group) ? groups[group]!.map(clean) : []
}

function clean(name: string): string {
  const word = name.trim().toLowerCase()
  return word === 'bash' ? 'exec' : word
}

function unknownNames(step: Step, tools: readonly string[], groups: Groups): string[] {
  if (step.from.startsWith('the profile')) return []
  const known = tools.map((tool) => tool.toLowerCase())
  const strange = [...(step.allow ?? []), ...(step.deny ?? [])].filter(
    (name) => !known.some((tool) => names(name, tool, groups)),
  )
  const noneLeft = (step.allow?.length ?? 0) > 0 && step.allow!.every((name) => strange.includes(name))
  const warnings = [...new Set(strange)].map((name) => `"${name}" in ${step.from} is no tool here`)
  return noneLeft ? [...warnings, `nothing that ${step.from} allow is here, so no tool is left`] : warnings
}

function lowerKeys(groups: Groups): Groups {
  return Object.fromEntries(Object.entries(groups).map(([key, value]) => [key.toLowerCase(), value]))
}
