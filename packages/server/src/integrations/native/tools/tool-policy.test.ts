import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeTools, matchesWildcard, type ToolPolicy, type ToolRules } from './tool-policy.ts'

const TOOLS = [
  'read',
  'write',
  'edit',
  'apply_patch',
  'exec',
  'process',
  'web_fetch',
  'cron',
  'session_status',
  'board_list',
]
const allowed = (policy: ToolPolicy, tools = TOOLS) =>
  judgeTools(policy, tools)
    .filter((verdict) => verdict.allowed)
    .map((verdict) => verdict.tool)
const of = (rules: ToolRules) => allowed({ everyone: rules })

test('[NR122] a denial wins, names ignore case, and "*" matches anything', () => {
  expect(of({ allow: ['read', 'exec'], deny: ['EXEC'] })).toEqual(['read'])
  expect(of({ allow: ['Re*', ' BASH '] })).toEqual(['read', 'exec'])
  expect(of({ deny: ['*'] })).toEqual([])
  expect(of({ allow: ['*'] })).toEqual(TOOLS)
  expect(of({ allow: [] })).toEqual(TOOLS)
  expect(of({ deny: ['*_*'] })).toEqual(['read', 'write', 'edit', 'exec', 'process', 'cron'])
})

test('[NR122] a wildcard matches like a regular expression, in bounded time', () => {
  const word = fc.stringMatching(/^[ab*]{0,8}$/)
  fc.assert(
    fc.property(word, fc.stringMatching(/^[ab]{0,10}$/), (pattern, text) => {
      expect(matchesWildcard(pattern, text)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text))
    }),
  )
  expect(matchesWildcard(`${'a*'.repeat(50)}b`, 'a'.repeat(5000))).toBe(false)
})

test('[NR123] a profile limits the tools, and alsoAllow extends it', () => {
  expect(of({ profile: 'minimal' })).toEqual(['session_status'])
  expect(of({ profile: 'coding' })).toEqual(TOOLS.filter((tool) => tool !== 'board_list'))
  expect(of({ profile: 'coding', alsoAllow: ['board_*'] })).toEqual(TOOLS)
  expect(of({ profile: 'messaging' })).toEqual(['session_status'])
  expect(of({ profile: 'full' })).toEqual(TOOLS)
  expect(of({ profile: 'minimal', allow: ['read'] })).toEqual([])
  expect(allowed({ everyone: { profile: 'minimal' }, agent: { profile: 'full' } })).toEqual(TOOLS)
})

test('[NR123] a group stands for its tools, and groups can be added', () => {
  expect(of({ allow: ['group:fs'] })).toEqual(['read', 'write', 'edit', 'apply_patch'])
  expect(of({ deny: ['GROUP:Runtime', 'group:nothing'] })).toEqual(
    TOOLS.filter((tool) => !['exec', 'process'].includes(tool)),
  )
  expect(allowed({ everyone: { allow: ['group:Board'] }, groups: { Board: ['board_list'] } })).toEqual(['board_list'])
  expect(of({ allow: ['group:constructor', 'group:__proto__', 'read'] })).toEqual(['read'])
})

test('[NR124] a rule can only remove tools', () => {
  const name = fc.constantFrom('read', 'write', 'EXEC', 'group:fs', 'group:runtime', 'web*', '*', 'nothing')
  const rules = fc.record(
    {
      allow: fc.array(name, { maxLength: 3 }),
      deny: fc.array(name, { maxLength: 2 }),
      profile: fc.constantFrom('minimal' as const, 'coding' as const, 'full' as const),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(rules, rules, (everyone, agent) => {
      const { profile: _, ...agentRules } = agent
      const before = allowed({ everyone })
      const after = allowed({ everyone, agent: agentRules })
      expect(before).toEqual(expect.arrayContaining(after))
      for (const denied of agent.deny ?? []) if (denied === 'read') expect(after).not.toContain('read')
    }),
  )
})

test('[NR125] a rule for write also applies to apply_patch', () => {
  expect(of({ allow: ['write'] })).toEqual(['write', 'apply_patch'])
  expect(of({ deny: ['write'] })).toEqual(TOOLS.filter((tool) => !['write', 'apply_patch'].includes(tool)))
  expect(of({ deny: ['group:fs'] })).not.toContain('apply_patch')
})

test('[NR126] the reason names the rule that removed a tool', () => {
  const verdicts = judgeTools(
    { everyone: { profile: 'coding', deny: ['write'] }, agent: { allow: ['read', 'edit'], deny: ['read'] } },
    TOOLS,
  )
  const reason = (tool: string) => verdicts.find((verdict) => verdict.tool === tool)!.reason
  expect(reason('board_list')).toBe('not listed by the profile "coding"')
  expect(reason('apply_patch')).toBe('denied as "write" by the rules for everyone (apply_patch writes files too)')
  expect(reason('exec')).toBe('not listed by the rules of this agent')
  expect(reason('read')).toBe('denied as "read" by the rules of this agent')
  expect(reason('edit')).toBe('no rule denies it')
})
