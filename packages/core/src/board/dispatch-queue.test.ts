import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countFruitless,
  DEFAULT_DISPATCH_LIMITS,
  type DispatchAgent,
  type DispatchCandidate,
  type DispatchLimits,
  planDispatch,
} from './dispatch-queue.ts'
import { TASK_PRIORITIES, type TaskPriority } from './task.ts'

const agent = (id: string, more: Partial<DispatchAgent> = {}): DispatchAgent => ({
  kind: 'agent',
  id,
  name: `Boo ${id}`,
  runtime: 'r1',
  dispatchable: true,
  ...more,
})
const candidate = (
  id: string,
  assignee: DispatchCandidate['assignee'] = agent(id),
  more: Partial<DispatchCandidate> & { priority?: TaskPriority; createdAt?: number } = {},
): DispatchCandidate => ({
  task: { id, title: `Task ${id}`, priority: more.priority ?? 'normal', createdAt: more.createdAt ?? 0 },
  readiness: more.readiness ?? { ready: true },
  assignee,
  fruitlessAttempts: more.fruitlessAttempts ?? 0,
})
const reasons = (plan: ReturnType<typeof planDispatch>) =>
  Object.fromEntries(plan.waits.map(({ taskId, code, reason }) => [taskId, [code, reason]]))

test('[BO42] starts the highest priority first, then the oldest, whatever the input order', () => {
  const tasks = [
    candidate('e', agent('e'), { priority: 'low', createdAt: 1 }),
    candidate('d', agent('d'), { createdAt: 9 }),
    candidate('b', agent('b'), { createdAt: 5 }),
    candidate('c', agent('c'), { createdAt: 5 }),
    candidate('a', agent('a'), { priority: 'urgent', createdAt: 9 }),
    candidate('f', agent('f'), { priority: 'low', createdAt: Number.NaN }),
  ]
  const limits = { ...DEFAULT_DISPATCH_LIMITS, perRuntime: 10 }
  fc.assert(
    fc.property(fc.shuffledSubarray(tasks, { minLength: 6 }), (shuffled) => {
      expect(planDispatch(shuffled, [], limits)).toEqual({ starts: ['a', 'b', 'c', 'd', 'e', 'f'], waits: [] })
    }),
  )
})

test('[BO42] treats an unknown priority as normal', () => {
  const odd = candidate('x', agent('x'), { priority: 'now' as TaskPriority, createdAt: 1 })
  const high = candidate('h', agent('h'), { priority: 'high', createdAt: 2 })
  expect(planDispatch([odd, high, candidate('l', agent('l'), { priority: 'low' })], []).starts).toEqual(['h', 'x', 'l'])
})

test('[BO43] an agent has one run at a time, from this round or before', () => {
  const plan = planDispatch(
    [candidate('a', agent('1')), candidate('b', agent('1'), { createdAt: 1 }), candidate('c', agent('2'))],
    [{ agentId: '2', runtime: 'r1' }],
  )
  expect(plan.starts).toEqual(['a'])
  expect(reasons(plan)).toEqual({
    b: ['agent_busy', 'waits until Boo 1 is free; it is working on “Task a”'],
    c: ['agent_busy', 'waits until Boo 2 is free; it is working on something else'],
  })
})

test('[BO43] a full runtime delays only its own tasks', () => {
  const limits = { ...DEFAULT_DISPATCH_LIMITS, perRuntime: 1, perServer: 2 }
  const tasks = [
    candidate('a'),
    candidate('b'),
    candidate('c', agent('c', { runtime: 'r2' })),
    candidate('d', agent('d', { runtime: 'r3' })),
  ]
  const plan = planDispatch(tasks, [], limits)
  expect(plan.starts).toEqual(['a', 'c'])
  expect(reasons(plan)).toEqual({
    b: ['runtime_full', 'waits for a free slot: 1 of 1 on r1 are in use'],
    d: ['server_full', 'waits for a free slot: 2 of 2 on this server are in use'],
  })
  const nonsense = { ...limits, perServer: Number.NaN }
  expect(planDispatch(tasks, [], nonsense).starts).toEqual([])
})

test('[BO44] a task for an agent whose runtime takes no tasks is refused before a claim, with the reason', () => {
  const plan = planDispatch([candidate('a', agent('a', { dispatchable: false }))], [])
  expect(plan.starts).toEqual([])
  expect(reasons(plan)).toEqual({
    a: ['runs_elsewhere', 'Boo a runs on its own platform and cannot receive tasks from here'],
  })
})

test('[BO45] a task that cannot start shows what it waits for', () => {
  const plan = planDispatch(
    [
      candidate('a', null),
      candidate('b', { kind: 'person', name: 'Ada' }),
      candidate('c', agent('c'), { readiness: { ready: false, code: 'blocker_open', reason: 'waits for “Draft”' } }),
    ],
    [],
  )
  expect(reasons(plan)).toEqual({
    a: ['unassigned', 'is unassigned'],
    b: ['waits_for_person', 'waits for Ada'],
    c: ['not_ready', 'waits for “Draft”'],
  })
})

test('[BO46] a task with three fruitless attempts waits for a person', () => {
  const tried = (fruitlessAttempts: number) => planDispatch([candidate('a', agent('a'), { fruitlessAttempts })], [])
  expect(tried(2).starts).toEqual(['a'])
  expect(reasons(tried(3))).toEqual({
    a: ['fruitless', 'ended without a result 3 times in a row; a person has to look at it'],
  })
  expect(tried(Number.NaN).starts).toEqual([])
})

test('[BO48] skips attempts that were ended from outside', () => {
  const count = (states: string, attendedAt: number | null = null) =>
    countFruitless(
      [...states].map((letter, at) => ({
        state: letter === 'l' ? 'lost' : letter === 'c' ? 'completed' : 'released',
        startedAt: at + 1,
        isInterrupted: letter === 'i',
      })),
      attendedAt,
    )
  expect(['', 'iii', 'rl', 'irilir', 'rrci', 'rrcr', 'rri'].map((states) => count(states))).toEqual([
    0, 0, 2, 3, 0, 1, 2,
  ])
  expect([0, 1, 2, 3].map((attendedAt) => count('rlr', attendedAt))).toEqual([3, 2, 1, 0])
})

const candidates = fc.array(
  fc
    .record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'),
      agentId: fc.constantFrom('1', '2', '3', '4', '5'),
      dispatchable: fc.constantFrom(true, true, true, false),
      priority: fc.constantFrom(...TASK_PRIORITIES),
      createdAt: fc.nat(3),
      isReady: fc.boolean(),
      fruitlessAttempts: fc.nat(3),
    })
    .map(({ id, agentId, dispatchable, isReady, ...more }) =>
      candidate(id, agent(agentId, { dispatchable, runtime: `r${Number(agentId) % 2}` }), {
        ...more,
        readiness: isReady ? { ready: true } : { ready: false, code: 'blocker_open', reason: 'waits' },
      }),
    ),
  { maxLength: 14 },
)
const live = fc.array(fc.constantFrom('1', '3', '9'), { maxLength: 3 })
const someLimits = fc.record({
  perRuntime: fc.integer({ min: 0, max: 3 }),
  perServer: fc.integer({ min: 0, max: 5 }),
  fruitlessAttempts: fc.constant(3),
})
const runsOf = (agents: readonly string[]) => agents.map((agentId) => ({ agentId, runtime: `r${Number(agentId) % 2}` }))

test('[BO45] every task either starts or waits with a reason, once', () => {
  fc.assert(
    fc.property(candidates, live, someLimits, (tasks, agents, limits) => {
      const plan = planDispatch(tasks, runsOf(agents), limits)
      const listedIds = [...plan.starts, ...plan.waits.map(({ taskId }) => taskId)]
      expect(listedIds.toSorted()).toEqual([...new Set(tasks.map(({ task }) => task.id))].toSorted())
      for (const { reason } of plan.waits) expect(reason).not.toBe('')
    }),
  )
})

test('[BO47] the plan respects every limit, and no task that waits for a slot could have started', () => {
  fc.assert(
    fc.property(candidates, live, someLimits, (tasks, agents, limits) => {
      const unique = [...new Map(tasks.map((shuffled) => [shuffled.task.id, shuffled])).values()]
      const plan = planDispatch(unique, runsOf(agents), limits)
      const runtimeOf = (id: string) => unique.find(({ task }) => task.id === id)!.assignee as DispatchAgent
      const started = plan.starts.map(runtimeOf)
      const all = [...runsOf(agents), ...started.map(({ id, runtime }) => ({ agentId: id, runtime }))]
      const room = (who: DispatchAgent, caps: DispatchLimits) =>
        !all.some(({ agentId }) => agentId === who.id) &&
        all.filter(({ runtime }) => runtime === who.runtime).length < caps.perRuntime &&
        all.length < caps.perServer
      expect(new Set(started.map(({ id }) => id)).size).toBe(started.length)
      for (const who of started) {
        expect(agents).not.toContain(who.id)
        expect(who.dispatchable).toBe(true)
        expect(all.filter(({ runtime }) => runtime === who.runtime).length).toBeLessThanOrEqual(limits.perRuntime)
      }
      if (started.length > 0) expect(all.length).toBeLessThanOrEqual(limits.perServer)
      for (const { taskId, code } of plan.waits)
        if (code === 'agent_busy' || code === 'runtime_full' || code === 'server_full')
          expect(room(runtimeOf(taskId), limits)).toBe(false)
    }),
  )
})
