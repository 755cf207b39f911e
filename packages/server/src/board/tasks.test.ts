import { describe, expect, it } from 'vitest'
import { testEngines } from '../store/test-stores.ts'
import { ADA, HOST, OPERATOR, type TestBoard, useBoards } from './test-board.ts'

const SHA = 'a'.repeat(64)

describe.each(testEngines())('tasks on $engine', ({ createDatabase }) => {
  const open = useBoards(createDatabase)
  describeClosing(open)
  describeTelling(open)
  describeAgents(open)
})

type Open = () => Promise<TestBoard>

function describeClosing(open: Open): void {
  it('[BO76] only valid evidence marks a task done, and a refusal has a code', async () => {
    const board = await open()
    const { id } = await board.make()
    const attempt = await board.claim(id)
    const done = () => board.tasks.move(id, { to: 'done' }, OPERATOR)
    await expect(done()).rejects.toMatchObject({ code: 'evidence_missing' })
    await board.tasks.addEvidence(id, { kind: 'check', command: 'npm test', exitCode: 1 }, attempt.id)
    await expect(done()).rejects.toMatchObject({ code: 'check_failed' })
    await board.tasks.addEvidence(id, { kind: 'check', command: 'npm test', exitCode: 0 })
    await board.tasks.noteChange(id, board.now())
    await expect(done()).rejects.toMatchObject({ code: 'evidence_stale' })
    await expect(board.tasks.move(id, { to: 'done' }, board.agent())).rejects.toMatchObject({ code: 'evidence_stale' })
    expect(await board.get(id)).toMatchObject({ status: 'in_progress' })
    await board.tasks.addEvidence(id, { kind: 'check', command: 'npm test', exitCode: 0 })
    expect((await board.tasks.move(id, { to: 'done' }, board.agent())).task).toMatchObject({ status: 'done' })
    expect((await board.get(id)).endedAt).not.toBeNull()
    await expect(board.tasks.addEvidence(id, { kind: 'diff', sha256: 'short' })).rejects.toMatchObject({
      code: 'evidence_refused',
    })
  })

  it('[BO76] evidence from the future counts from now on', async () => {
    const board = await open()
    const { id } = await board.make()
    await board.tasks.addEvidence(id, { kind: 'diff', sha256: SHA, at: board.now() + 1_000_000 })
    await board.tasks.noteChange(id, board.now())
    await expect(board.tasks.move(id, { to: 'done' }, OPERATOR)).rejects.toMatchObject({ code: 'evidence_stale' })
  })

  it('[BO93] an attempt that was taken back or replaced cannot add evidence', async () => {
    const board = await open()
    const { id } = await board.make()
    const passed = { kind: 'check', command: 'npm test', exitCode: 0 } as const
    const refused = { code: 'evidence_refused' }
    const first = await board.claim(id)
    await board.tasks.move(id, { to: 'todo' }, OPERATOR)
    await expect(board.tasks.addEvidence(id, passed, first.id)).rejects.toMatchObject(refused)
    const second = await board.claim(id)
    await expect(board.tasks.addEvidence(id, passed, first.id)).rejects.toMatchObject(refused)
    await expect(board.tasks.addEvidence(id, passed, 'none')).rejects.toMatchObject(refused)
    await board.runOut(second.id)
    await board.claims.expire()
    await board.tasks.addEvidence(id, passed, second.id)
    expect((await board.view.task(id, OPERATOR)).evidence).toHaveLength(1)
  })

  it('[BO74] a task that is reopened, claimed again or rewritten needs new evidence', async () => {
    const board = await open()
    const diff = { kind: 'diff', sha256: SHA } as const
    const done = (id: string) => board.tasks.move(id, { to: 'done' }, OPERATOR)
    const { id } = await board.make()
    await board.tasks.addEvidence(id, diff)
    await done(id)
    await board.tasks.move(id, { to: 'todo' }, OPERATOR)
    await expect(done(id)).rejects.toMatchObject({ code: 'evidence_stale' })
    await board.tasks.addEvidence(id, diff)
    await board.claim(id)
    await expect(done(id)).rejects.toMatchObject({ code: 'evidence_stale' })
    const other = await board.make()
    await board.tasks.addEvidence(other.id, diff)
    await board.tasks.patch(other.id, { priority: 'high' }, OPERATOR)
    await board.tasks.patch(other.id, { body: 'In blue.' }, OPERATOR)
    await expect(done(other.id)).rejects.toMatchObject({ code: 'evidence_stale' })
  })

  it('[BO77] a person’s sign-off marks a task done under their name, and no other actor can sign off', async () => {
    const board = await open()
    const { id } = await board.make()
    await board.claim(id)
    await board.tasks.addEvidence(id, { kind: 'check', command: 'make', exitCode: 2 })
    for (const by of [board.agent(), HOST])
      await expect(board.tasks.signOff(id, by)).rejects.toMatchObject({ code: 'evidence_refused' })
    expect(await board.tasks.signOff(id, ADA)).toMatchObject({ task: { status: 'done' } })
    const { evidence, overrides } = await board.view.task(id, OPERATOR)
    expect(evidence.at(-1)).toMatchObject({ kind: 'sign-off', person: { id: 'p-ada', name: 'Ada' } })
    expect(overrides).toEqual([])
    await board.tasks.signOff(id, OPERATOR)
    expect((await board.view.task(id, OPERATOR)).evidence).toHaveLength(3)
    const idea = await board.make({ status: 'backlog' })
    await expect(board.tasks.signOff(idea.id, ADA)).rejects.toMatchObject({ code: 'illegal_transition' })
    expect((await board.view.task(idea.id, OPERATOR)).evidence).toEqual([])
  })

  it('[BO78] only a person can override; the reason stays with the task and appears in the room', async () => {
    const board = await open()
    const { id } = await board.make()
    await board.claim(id)
    for (const by of [board.agent(), HOST])
      await expect(board.tasks.override(id, 'Trust me.', by)).rejects.toMatchObject({ code: 'override_refused' })
    await expect(board.tasks.override(id, ' ', ADA)).rejects.toMatchObject({ code: 'override_refused' })
    await expect(board.tasks.override(id, 'x'.repeat(2001), ADA)).rejects.toMatchObject({ code: 'request_invalid' })
    await board.tasks.override(id, 'I looked.', ADA)
    expect(board.lines.at(-1)?.text).toBe('“Draft” is done; marked by Ada without evidence: I looked.')
    await board.tasks.move(id, { to: 'todo' }, OPERATOR)
    const { overrides } = await board.view.task(id, OPERATOR)
    expect(overrides).toMatchObject([{ by: { name: 'Ada' }, reason: 'I looked.', lack: 'evidence_missing' }])
  })
}

function describeTelling(open: Open): void {
  it('[BO79] every change has an audit entry, an event and one line; a refusal or a change without effect has none', async () => {
    const board = await open()
    const { id } = await board.make({ title: 'Told' })
    await board.tasks.patch(id, { priority: 'urgent' }, ADA)
    await board.tasks.patch(id, { priority: 'urgent', title: 'Told' }, ADA)
    await board.tasks.move(id, { to: 'todo' }, OPERATOR)
    await expect(board.tasks.move(id, { to: 'in_review' }, OPERATOR)).rejects.toMatchObject({
      code: 'illegal_transition',
      details: { from: 'todo', to: 'in_review' },
    })
    await board.tasks.comment(id, { body: 'Hm.' }, board.agent())
    await board.tasks.move(id, { to: 'blocked', reason: 'No paper.' }, OPERATOR)
    const audit = (await board.records.audit()).filter(({ subject }) => subject === id)
    expect(audit.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      'operator task.create',
      'person:p-ada task.update',
      `agent:${board.agentId} task.comment`,
      'operator task.move',
    ])
    const events = (await board.records.events('task-changed')).filter(({ task }) => task.id === id)
    expect(events).toHaveLength(4)
    expect(events.at(-1)?.task).toEqual(await board.get(id))
    expect(board.lines.map(({ text }) => text)).toEqual([
      'New task: “Told”',
      '“Told”: the priority changed',
      'A comment on “Told”',
      '“Told” is blocked; No paper.',
    ])
  })

  it('[BO79] notifies listeners of a line after its change can be read, and a failing listener undoes nothing', async () => {
    const board = await open()
    const seen: (string | undefined)[] = []
    const { createBoardLines } = await import('./board-change.ts')
    const { createTasks } = await import('./tasks.ts')
    const lines = createBoardLines(board.records.log)
    const { store, record } = board.records
    const read: Promise<unknown>[] = []
    lines.onLine(({ taskId }) => {
      read.push(store.tasks.get(taskId).then((task) => seen.push(task?.title)))
      throw new Error('no room')
    })
    const tasks = createTasks({ store, record, lines })
    await tasks.create({ teamId: board.teamId, title: 'Kept' }, OPERATOR)
    await Promise.all(read)
    expect(seen).toEqual(['Kept'])
    expect(board.records.lines.some((line) => line.includes('could not be delivered'))).toBe(true)
  })

  it('[BO87] an event contains the beginning of a long body; the task contains all of it', async () => {
    const board = await open()
    const { id } = await board.make({ body: 'y'.repeat(60_000) })
    const event = (await board.records.events('task-changed')).find(({ task }) => task.id === id)
    expect(event?.task.body).toHaveLength(2000)
    expect((await board.get(id)).body).toHaveLength(60_000)
  })

  it('[BO82] the credential determines a comment’s author, and a comment may refer to a line', async () => {
    const board = await open()
    const { id } = await board.make()
    await board.tasks.comment(id, { body: 'Why?', file: 'src/a.ts', line: 7 }, ADA)
    await board.tasks.comment(id, { body: 'So.' }, board.agent({ runId: 'run-9' }))
    expect((await board.view.task(id, OPERATOR)).comments).toMatchObject([
      { author: { kind: 'person', id: 'p-ada' }, runId: null, body: 'Why?', file: 'src/a.ts', line: 7 },
      { author: { kind: 'agent', id: board.agentId }, runId: 'run-9', file: null, line: null },
    ])
    for (const wrong of [{ body: ' ' }, { body: 'x', line: 1 }, { body: 'x', file: 'a', line: 0 }, { body: 'a\0' }])
      await expect(board.tasks.comment(id, wrong, ADA)).rejects.toMatchObject({ code: 'request_invalid' })
  })

  it('[BO90] a team has a project folder and a check command, or neither', async () => {
    const { records, teamId } = await open()
    const { teams } = records.store
    expect(await teams.project(teamId)).toEqual({ folder: null, checkCommand: null })
    expect(await teams.setProject(teamId, { folder: '/p', checkCommand: 'npm test' }, 2)).toBe(true)
    expect(await teams.project(teamId)).toEqual({ folder: '/p', checkCommand: 'npm test' })
    expect(await teams.project('none')).toBeNull()
    expect(await teams.setProject('none', { folder: null, checkCommand: null }, 2)).toBe(false)
  })
}

function describeAgents(open: Open): void {
  it('[BO80] an agent finds no task of another team, moves only its own and rewrites only those it created', async () => {
    const [board, elsewhere] = [await open(), await open()]
    const agent = board.agent()
    const foreign = await elsewhere.make()
    const missing = { code: 'task_not_found' }
    await expect(board.view.task(foreign.id, agent)).rejects.toMatchObject(missing)
    await expect(board.tasks.comment(foreign.id, { body: 'x' }, agent)).rejects.toMatchObject(missing)
    await expect(board.tasks.move(foreign.id, { to: 'done' }, agent)).rejects.toMatchObject(missing)
    await expect(board.tasks.create({ teamId: elsewhere.teamId, title: 'x' }, agent)).rejects.toMatchObject({
      code: 'team_not_found',
    })
    const assigned = await board.make()
    await board.claim(assigned.id)
    await expect(board.tasks.patch(assigned.id, { body: 'x' }, agent)).rejects.toMatchObject({ code: 'task_not_yours' })
    const other = board.agent({ id: `${board.agentId}-b` })
    const blocked = { to: 'blocked', reason: 'x' } as const
    await expect(board.tasks.move(assigned.id, blocked, other)).rejects.toMatchObject({ code: 'illegal_transition' })
    expect((await board.tasks.move(assigned.id, blocked, agent)).task.status).toBe('blocked')
    const own = await board.tasks.create({ teamId: board.teamId, title: 'Own' }, agent)
    expect(await board.tasks.patch(own.id, { body: 'More.' }, agent)).toMatchObject({ body: 'More.' })
    const link = { blockerId: own.id, blockedId: (await board.make({ assignee: null })).id }
    await expect(board.tasks.link(link, agent)).rejects.toMatchObject({ code: 'task_not_yours' })
    const asked = { blockerId: own.id, blockedId: (await board.make()).id }
    expect(await board.tasks.link(asked, agent)).toMatchObject({ openBlockers: 1 })
    await expect(board.tasks.unlink(asked, agent)).rejects.toMatchObject({ code: 'task_not_yours' })
  })

  it('[BO80] refuses an unknown assignee, and a new assignee while an agent works on the task', async () => {
    const board = await open()
    const { id } = await board.make()
    const nobody = { assignee: { kind: 'agent', id: 'nobody' } } as const
    await expect(board.make(nobody)).rejects.toMatchObject({ code: 'agent_not_found' })
    await expect(board.tasks.patch(id, nobody, OPERATOR)).rejects.toMatchObject({ code: 'agent_not_found' })
    await board.claim(id)
    const other = { assignee: { kind: 'agent', id: `${board.agentId}-b` } } as const
    await expect(board.tasks.patch(id, other, OPERATOR)).rejects.toMatchObject({ code: 'task_conflict' })
    await expect(board.make({ title: '' })).rejects.toMatchObject({ code: 'request_invalid' })
  })

  it('[BO81] counts delegated tasks in the board’s own rows and places them below the current task', async () => {
    const board = await open()
    const { teamId } = board
    const root = await board.make()
    const made = (by: ReturnType<TestBoard['agent']>, parentId?: string) =>
      board.tasks.create({ teamId, title: 'Part', ...(parentId ? { parentId } : {}) }, by)
    const working = board.agent({ taskId: root.id, runId: `${teamId}-1` })
    const child = await made(working)
    expect(child).toMatchObject({ parentId: root.id, depth: 1, source: { kind: 'agent', runId: `${teamId}-1` } })
    const below = await made(board.agent({ taskId: child.id, runId: `${teamId}-2` }))
    await expect(made(board.agent({ taskId: below.id, runId: `${teamId}-3` }))).rejects.toMatchObject({
      code: 'delegation_limit',
      details: { cap: 'depth', figure: 3, limit: 2 },
    })
    const strange = await board.make()
    await expect(made(working, strange.id)).rejects.toMatchObject({ code: 'task_not_yours' })
    const more = await Promise.allSettled(Array.from({ length: 10 }, () => made(working)))
    expect(more.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    for (let n = 0; n < 16; n++) await made(board.agent({ taskId: root.id, runId: `${teamId}-${4 + n}` }))
    await expect(made(board.agent({ taskId: root.id, runId: 'last' }))).rejects.toMatchObject({
      details: { cap: 'liveChildren', figure: 25, limit: 24 },
    })
  })
}
