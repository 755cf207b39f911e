import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestHome, type TestHome } from '../test-clawboo.ts'

let place: TestHome
beforeAll(async () => {
  place = await createTestHome()
  await place.clawboo(['start', '--detach'])
  await place.clawboo(['teams', 'create', 'Night shift'])
  // The dispatcher never starts a person's task, so these tasks stay where they are.
  await place.clawboo(['agents', 'create', 'Ada', '--team', 'Night shift', '--person'])
})
afterAll(() => place.dispose())

async function add(title: string, ...more: string[]): Promise<string> {
  const run = await place.clawboo(['tasks', 'add', 'Night shift', title, ...more, '--json'])
  expect([run.stderr, run.code]).toEqual(['', 0])
  return run.json<{ id: string }>().id
}

test('[CL50] lists tasks by column with their assignee and why they wait', async () => {
  const first = await add('Read the logs', '--for', 'Ada', '--priority', 'high')
  await add('Write a report', '--after', 'read the logs')
  await add('Some day', '--backlog')
  const { stdout } = await place.clawboo(['tasks'])
  expect(stdout).toMatch(new RegExp(`^todo +high +Ada +Read the logs +Night shift +${first} +waits for Ada$`, 'm'))
  expect(stdout).toMatch(/^todo +normal +- +Write a report .+waits for “Read the logs”$/m)
  const backlog = await place.clawboo(['tasks', '--team', 'night shift', '--status', 'backlog'])
  expect(backlog.stdout).toContain('Some day')
  expect(backlog.stdout).not.toContain('Read the logs')
  const { boards } = (await place.clawboo(['tasks', '--status', 'backlog', '--json'])).json<{ boards: Board[] }>()
  expect(boards.map(({ team, columns }) => [team.name, columns.map(({ status }) => status)])).toEqual([
    ['Night shift', ['backlog']],
  ])
})

test('[CL50] shows a task with its description, blockers, comments and evidence', async () => {
  await add('Before')
  const added = await place.clawboo(['tasks', 'add', 'Night shift', 'Whole', '--body', '-', '--after', 'Before'], {
    input: 'Two\nlines\n',
  })
  expect(added.stdout).toMatch(/^Created the task \S+\n$/)
  await place.clawboo(['tasks', 'comment', 'Whole', 'Think of the disk'])
  const { stdout } = await place.clawboo(['tasks', 'show', 'whole'])
  expect(stdout).toMatch(/^Task +Whole$/m)
  expect(stdout).toMatch(/^Missing +Nothing shows that the task is done\.$/m)
  expect(stdout).toMatch(/^Waits for +Before \(todo\) /m)
  expect(stdout).toContain('\nTwo\nlines\n')
  expect(stdout).toContain('Think of the disk')
  await place.clawboo(['tasks', 'sign-off', 'Whole'])
  expect((await place.clawboo(['tasks', 'show', 'Whole'])).stdout).toMatch(/^Evidence +\S+Z, signed off by Operator$/m)
  const shown = (await place.clawboo(['tasks', 'show', 'Whole', '--json'])).json()
  expect(shown).toMatchObject({ task: { status: 'done' }, comments: [{ author: { kind: 'operator' } }] })
})

test('[CL51] moves, approves and takes back tasks, and prints the reason for a refusal', async () => {
  const id = await add('Move me')
  const blocked = await place.clawboo(['tasks', 'move', id, 'blocked', '--reason', 'The disk is full'])
  expect([blocked.code, blocked.stdout]).toEqual([0, '"Move me" is now blocked\n'])
  expect((await place.clawboo(['tasks', 'show', id])).stdout).toMatch(/^Status +blocked: The disk is full$/m)
  const early = await place.clawboo(['tasks', 'move', id, 'done', '--json'])
  expect([early.code, early.json()]).toMatchObject([4, { error: { code: 'evidence_missing' } }])
  const claimed = await place.clawboo(['tasks', 'move', id, 'in-progress'])
  expect([claimed.code, claimed.stderr]).toEqual([4, 'clawboo: A task moves to in progress only when it is claimed.\n'])
  const idle = await place.clawboo(['tasks', 'take-back', id, '--json'])
  expect([idle.code, idle.json()]).toMatchObject([4, { error: { code: 'illegal_transition' } }])
  expect((await place.clawboo(['tasks', 'sign-off', id])).stdout).toBe('"Move me" is now done\n')
  const piped = await place.clawboo(['tasks', 'comment', id, '-', '--json'], { input: 'From the input' })
  expect(piped.json()).toMatchObject({ body: 'From the input' })
})

test('[CL52] refuses unknown names before it changes anything', async () => {
  const count = async () => (await place.clawboo(['tasks'])).stdout
  const before = await count()
  for (const [code, ...args] of [
    [2, 'tasks', '--status', 'doing'],
    [2, 'tasks', 'move', 'Before', 'doing'],
    [2, 'tasks', 'add', 'Night shift', 'X', '--priority', 'huge'],
    [5, 'tasks', 'add', 'Night shift', 'X', '--for', 'Nobody'],
    [5, 'tasks', 'add', 'Night shift', 'X', '--after', 'No such task'],
    [5, 'tasks', 'add', 'Day shift', 'X'],
    [5, 'tasks', 'show', 'No such task'],
    [2, 'tasks', 'comment', 'Before', ' '],
  ] as const)
    expect([args, (await place.clawboo(args)).code]).toEqual([args, code])
  await add('Twin')
  await add('Twin')
  const twins = await place.clawboo(['tasks', 'show', 'twin'])
  expect([twins.code, twins.stderr]).toMatchObject([2, expect.stringContaining('2 tasks are called "twin"')])
  expect((await count()).replaceAll(/^.*Twin.*\n?/gm, '').trim()).toBe(before.trim())
})

test('[CL53] shows control characters in task text instead of sending them to the terminal', async () => {
  const id = await add('Harmless', '--body', 'red \u001b[31m and \u202e back')
  await place.clawboo(['tasks', 'comment', id, '\u001b]0;owned\u0007'])
  const { stdout } = await place.clawboo(['tasks', 'show', id])
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  expect(stdout).toContain('red \\u{1b}[31m and \\u{202e} back')
  expect(stdout).toContain('\\u{1b}]0;owned\\u{7}')
})

interface Board {
  readonly team: { readonly name: string }
  readonly columns: readonly { readonly status: string }[]
}
