import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { useRecords } from '../executor/test-records.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import { newRun } from '../store/contract/runs-contract.ts'
import { sql } from '../store/sql.ts'
import { testEngines } from '../store/test-stores.ts'
import { createGrants, type GrantBinding, looksLikeGrant } from './grants.ts'

const binding = (runId: string, more: Partial<GrantBinding> = {}): GrantBinding => ({
  runId,
  agentId: 'ada',
  teamId: 'writers',
  roomId: 'team:writers',
  taskId: null,
  tools: ['memory_save'],
  ...more,
})

describe.each(testEngines())('grants on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  const store = () => records()[0]!.store
  let runs = 0
  const startRun = async (agentId = 'ada') => {
    const id = `r${++runs}`
    await store().runs.insert(newRun(id, { agentId }))
    return id
  }
  beforeAll(async () => {
    for (const id of ['ada', 'bob']) await store().agents.insert(newAgent(id))
  })

  it('[SE27] returns the secret once and stores only its hash', async () => {
    const grants = createGrants(store())
    const [one, two] = [await grants.issue(binding(await startRun())), await grants.issue(binding(await startRun()))]
    expect(one.secret).toMatch(/^clawboo_grant_[\w-]{43}$/)
    expect(one.secret).not.toBe(two.secret)
    expect(looksLikeGrant(one.secret)).toBe(true)
    const rows = await store().db.all(sql`SELECT * FROM grants`)
    expect(JSON.stringify([rows, await records()[0]!.audit()])).not.toContain(one.secret.slice(14))
    expect(JSON.stringify(rows)).toContain(createHash('sha256').update(one.secret).digest('hex'))
  })

  it('[SE28] finds a grant with its binding, and no unknown grant', async () => {
    const grants = createGrants(store())
    const bound = binding(await startRun(), { taskId: 't1', tools: ['a', 'b'] })
    const { id, secret } = await grants.issue(bound)
    expect(await grants.use(secret)).toEqual({ state: 'live', grant: { id, ...bound } })
    for (const wrong of ['', 'x', `${secret}x`, secret.toUpperCase(), `clawboo_grant_${'A'.repeat(43)}`])
      expect(await grants.use(wrong)).toEqual({ state: 'dead', because: 'unknown', grant: null })
  })

  it('[SE29] a grant ends with its run or agent, or when the grants of its run, task or agent are revoked', async () => {
    const grants = createGrants(store())
    const stateOf = async (secret: string) => {
      const check = await grants.use(secret)
      return check.state === 'dead' ? check.because : check.state
    }
    const issue = async (more: Partial<GrantBinding> = {}) =>
      (await grants.issue(binding(await startRun(more.agentId), more))).secret

    const ended = await issue()
    await store().runs.end(`r${runs}`, 'home-1', { outcome: 'completed', reason: null, text: '', endedAt: 9 })
    expect(await stateOf(ended)).toBe('run_ended')

    const byRun = await issue()
    expect(await grants.revoke({ runId: `r${runs}` }, 'run_end')).toBe(1)
    expect(await grants.revoke({ runId: `r${runs}` }, 'run_end')).toBe(0)
    const released = await issue({ taskId: 't9' })
    const kept = await issue({ taskId: 't10' })
    await grants.revoke({ taskId: 't9' }, 'task_released')
    const ofBob = await issue({ agentId: 'bob' })
    await grants.revoke({ agentId: 'bob' }, 'agent_archived')
    expect(await Promise.all([byRun, released, kept, ofBob].map(stateOf))).toEqual([
      'revoked',
      'revoked',
      'live',
      'revoked',
    ])

    const archived = await issue({ agentId: 'bob' })
    await store().db.run(sql`UPDATE agents SET archived_at = 5 WHERE id = 'bob'`)
    expect(await stateOf(archived)).toBe('agent_archived')
    await store().db.run(sql`UPDATE agents SET archived_at = NULL WHERE id = 'bob'`)
  })

  it('[SE30] rotating the token ends every grant at once, and no other server accepts one', async () => {
    const grants = createGrants(store())
    const { secret } = await grants.issue(binding(await startRun()))
    expect(await createGrants(store()).use(secret)).toMatchObject({ state: 'dead', because: 'earlier_server' })
    const written = grants.revokeAll('token_rotated')
    expect(await grants.use(secret)).toMatchObject({ state: 'dead', because: 'earlier_server' })
    expect(await written).toBe(1)
    expect(await grants.use((await grants.issue(binding(await startRun()))).secret)).toMatchObject({ state: 'live' })
  })

  it('[SE32] records a refusal without the secret, but not a flood of the same one', async () => {
    const grants = createGrants(store(), () => 1000)
    const { id, secret } = await grants.issue(binding(await startRun()))
    const { grant } = await grants.use(secret)
    for (let n = 0; n < 150; n++) await grants.recordRefusal({ grant, because: 'revoked', at: 'POST /api/mcp/x' })
    await grants.recordRefusal({ grant: null, because: 'unknown', at: 'POST /api/mcp/x' })
    const entries = (await store().audit.list({ limit: 500 })).filter((entry) => entry.action === 'grant.refuse')
    expect(entries).toHaveLength(101)
    expect(entries[0]).toMatchObject({ actor: 'unknown', subject: 'unknown', runId: null })
    expect(entries[1]).toMatchObject({
      actor: 'agent:ada',
      subject: id,
      runId: `r${runs}`,
      detail: { because: 'revoked', at: 'POST /api/mcp/x' },
    })
    expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('[SE33] a grant that has used up its requests must wait; others are not affected', async () => {
    let now = 1000
    const grants = createGrants(store(), () => now)
    const chatty = (await grants.issue(binding(await startRun()))).secret
    const quiet = (await grants.issue(binding(await startRun()))).secret
    const states: string[] = []
    for (let n = 0; n < 241; n++) states.push((await grants.use(chatty)).state)
    expect([states.indexOf('spent'), (await grants.use(quiet)).state]).toEqual([240, 'live'])
    now += 250
    expect((await grants.use(chatty)).state).toBe('live')
  })
})
