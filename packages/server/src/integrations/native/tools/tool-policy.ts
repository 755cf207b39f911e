import type { NativeConfig } from '../agent-config.ts'
/** Tool rules from one source. A name is a tool, `group:<name>`, or a pattern with `*`. Names ignore case. */
export type ToolRules = NonNullable<NativeConfig['tools']>

export interface ToolPolicy {
  readonly everyone?: ToolRules
  /** Its profile, if any, replaces that of `everyone`. */
  readonly agent?: ToolRules
  /** Additional groups, such as those of connected servers. */
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

const PROFILES: Readonly<Record<NonNullable<ToolRules['profile']>, readonly string[] | null>> = {
  minimal: ['session_status'],
  coding: [
    'group:fs',
    'group:runtime',
    'group:web',
    'group:sessions',
    'group:memory',
    'cron',
    'image',
    'image_generate',
    'video_generate',
  ],
  messaging: ['message', 'sessions_list', 'sessions_history', 'sessions_send', 'session_status'],
  full: null,
}

/**
 * Decides for every tool whether it is allowed. The rules apply one after the other, and each can only remove tools. The
 * reason names the rule that removed a tool.
 */
export function judgeTools(policy: ToolPolicy, tools: readonly string[]): readonly ToolVerdict[] {
  const rules = listsOf(policy)
  const groups = { ...GROUPS, ...lowerKeys(policy.groups ?? {}) }
  return tools.map((tool) => {
    for (const rule of rules) {
      const reason = objection(rule, tool.toLowerCase(), groups)
      if (reason !== null) return { tool, allowed: false, reason }
    }
    return { tool, allowed: true, reason: rules.length === 0 ? 'no rules apply' : 'no rule denies it' }
  })
}

/** Lists that a tool must or must not be on, and their source. */
interface RuleList {
  readonly from: string
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

function listsOf({ everyone, agent }: ToolPolicy): RuleList[] {
  const profile = agent?.profile ?? everyone?.profile
  const names = profile && PROFILES[profile]
  const extraNames = [...(everyone?.alsoAllow ?? []), ...(agent?.alsoAllow ?? [])]
  return [
    ...(names ? [{ from: `the profile "${profile}"`, allow: [...names, ...extraNames] }] : []),
    ...(everyone ? [{ from: 'the rules for everyone', allow: everyone.allow, deny: everyone.deny }] : []),
    ...(agent ? [{ from: 'the rules of this agent', allow: agent.allow, deny: agent.deny }] : []),
  ]
}

type Groups = Readonly<Record<string, readonly string[]>>

function objection(rule: RuleList, tool: string, groups: Groups): string | null {
  const denied = rule.deny?.find((name) => names(name, tool, groups))
  if (denied !== undefined) {
    const own = tool === 'apply_patch' && clean(denied) === 'write' ? ' (apply_patch writes files too)' : ''
    return `denied as "${denied}" by ${rule.from}${own}`
  }
  if (!rule.allow || rule.allow.length === 0) return null
  return rule.allow.some((name) => names(name, tool, groups)) ? null : `not listed by ${rule.from}`
}

/** Whether a name in a rule matches a tool. A rule for `write` also applies to `apply_patch`. */
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

function lowerKeys(groups: Groups): Groups {
  return Object.fromEntries(Object.entries(groups).map(([key, value]) => [key.toLowerCase(), value]))
}

interface ApplyPatchGate {
  readonly enabled?: boolean
  /** `provider/model` or model names. If not empty, exactly these models get the tool. */
  readonly allowModels?: readonly string[]
}

/**
 * Decides whether a model gets `apply_patch`. OpenAI's models are trained on its format; other models do better with
 * `edit`.
 */
export function judgeApplyPatch(
  gate: ApplyPatchGate,
  model: { readonly provider: string; readonly model: string },
): { readonly offered: boolean; readonly reason: string } {
  const ref = `${model.provider}/${model.model}`.toLowerCase()
  if (gate.enabled === false) return { offered: false, reason: 'apply_patch is switched off' }
  if (gate.allowModels && gate.allowModels.length > 0) {
    const names = gate.allowModels.map((name) => name.trim().toLowerCase())
    const named = names.includes(ref) || names.includes(model.model.toLowerCase())
    return { offered: named, reason: `${ref} is ${named ? '' : 'not '}on the list of models for apply_patch` }
  }
  const trained = model.provider.toLowerCase() === 'openai' || /(^|\/)openai\//.test(ref)
  const reason = trained
    ? `${ref} is trained on its format`
    : `${ref} is not trained on its format and uses edit instead`
  return { offered: trained, reason }
}

/** Whether a text matches a pattern in which `*` matches any characters. Takes at most pattern × text steps. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let [p, t] = [0, 0]
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++
      t++
    } else if (star !== -1) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
