import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestHome, type TestHome } from '../test-clawboo.ts'

let place: TestHome
beforeAll(async () => {
  place = await createTestHome()
  await place.clawboo(['start', '--detach'])
})
afterAll(() => place.dispose())

async function makeAgent(...args: string[]): Promise<string> {
  const run = await place.clawboo(['agents', 'create', ...args, '--json'])
  expect([run.stderr, run.code]).toEqual(['', 0])
  return run.json<{ id: string }>().id
}

test('[CL17] resolves a unique name, and every id', async () => {
  const id = await makeAgent('Grace')
  const byName = await place.clawboo(['agents', 'show', 'grace', '--json'])
  const byId = await place.clawboo(['agents', 'show', id, '--json'])
  expect(byName.json()).toEqual(byId.json())
  const unknown = await place.clawboo(['agents', 'show', 'Grase'])
  expect(unknown.code).toBe(5)
  expect(unknown.stderr).toContain('did you mean "Grace"?')
  const foreign = await place.clawboo(['teams', 'show', 'zzzzzzzzz', '--json'])
  expect(foreign.json()).toMatchObject({ error: { code: 'team_not_found' } })
})

test('[CL17] refuses a name that several share and lists their ids', async () => {
  await place.clawboo(['teams', 'create', 'Twins'])
  const ids = [await makeAgent('Castor'), await makeAgent('Castor', '--team', 'twins')]
  const run = await place.clawboo(['agents', 'show', 'castor'])
  expect(run.code).toBe(2)
  for (const id of ids) expect(run.stderr).toContain(id)
})

test('[CL18] refuses to delete without --yes when it cannot ask', async () => {
  const id = await makeAgent('Doomed')
  await place.clawboo(['teams', 'create', 'Doomed team'])
  for (const args of [
    ['agents', 'delete', id],
    ['teams', 'delete', 'Doomed team'],
  ]) {
    const asked = await place.clawboo(args)
    expect(asked.code).toBe(2)
    expect(asked.stderr).toContain('--yes')
    const done = await place.clawboo([...args, '--yes', '--json'])
    expect(done.json()).toMatchObject({ deleted: true })
    expect((await place.clawboo(args)).code).toBe(5)
  }
})

test('[CL19] creates a Boo with a role, a team and initial files, lists it and renames it', async () => {
  const soul = join(place.home, 'soul.md')
  await writeFile(soul, 'I am calm.\n')
  await place.clawboo(['teams', 'create', 'Day shift'])
  await makeAgent('Ada', '--role', 'Reads the logs', '--team', 'Day shift', '--file', `SOUL.md=${soul}`)
  expect((await place.clawboo(['agents', 'file', 'Ada', 'SOUL.md'])).stdout).toBe('I am calm.\n')
  expect((await place.clawboo(['agents'])).stdout).toMatch(/^Ada +Reads the logs +Day shift +idle /m)
  await makeAgent('Bernd', '--person')
  const person = (await place.clawboo(['agents', 'show', 'Bernd', '--json'])).json()
  expect(person.participantKind).toBe('human')
  const renamed = await place.clawboo(['agents', 'rename', 'Ada', 'Ada Lovelace', '--json'])
  expect(renamed.json()).toMatchObject({ displayName: 'Ada Lovelace' })
  const missing = await place.clawboo(['agents', 'create', 'X', '--file', 'SOUL.md=/no/such/file'])
  expect(missing.code).toBe(5)
})

test('[CL20] prints a file unchanged and writes it from a file or from standard input', async () => {
  await makeAgent('Scribe')
  const source = join(import.meta.dirname, '../command.ts')
  const text = await readFile(source, 'utf8')
  const written = await place.clawboo(['agents', 'file', 'Scribe', 'MEMORY.md', '--set', source, '--json'])
  expect(written.json()).toMatchObject({ revision: 1, content: text })
  expect((await place.clawboo(['agents', 'file', 'Scribe', 'MEMORY.md'])).stdout).toBe(text)
  const piped = await place.clawboo(['agents', 'file', 'Scribe', 'MEMORY.md', '--set', '-'], { input: 'ünï\n\nend\n' })
  expect(piped.stdout).toContain('revision 2')
  expect((await place.clawboo(['agents', 'file', 'Scribe', 'MEMORY.md'])).stdout).toBe('ünï\n\nend\n')
})

test('[CL21] creates a team with members, then adds and removes Boos', async () => {
  await makeAgent('Uno')
  await makeAgent('Due')
  const made = await place.clawboo([
    'teams',
    'create',
    'Numbers',
    '--member',
    'Uno',
    '--description',
    'Counting',
    '--json',
  ])
  expect(made.json<{ memberIds: string[] }>().memberIds).toHaveLength(1)
  expect((await place.clawboo(['teams', 'add', 'Numbers', 'Due'])).stdout).toMatch(/^Boos +Uno, Due$/m)
  expect((await place.clawboo(['teams', 'remove', 'Numbers', 'Uno'])).stdout).toMatch(/^Boos +Due$/m)
  expect((await place.clawboo(['teams', 'show', 'numbers'])).stdout).toMatch(/^For +Counting$/m)
  expect((await place.clawboo(['teams'])).stdout).toMatch(/^Numbers +1 +team-/m)
})

test('[CL22] exits with 4 and the reason when the server refuses', async () => {
  await place.clawboo(['teams', 'create', 'Only one'])
  const again = await place.clawboo(['teams', 'create', 'Only one', '--json'])
  expect(again.code).toBe(4)
  expect(again.json()).toMatchObject({ error: { code: 'team_name_taken' } })
  const empty = await place.clawboo(['agents', 'create', ' '])
  expect(empty.code).toBe(4)
  expect(empty.stderr).toMatch(/^clawboo: .+\n$/)
})

test('[CL23] shows control characters in a name instead of sending them to the terminal', async () => {
  const { formatColumns } = await import('../terminal/format-columns.ts')
  expect(formatColumns([['a\u001b[31m\n\u202eb', 'c']])).toBe('a?[31m??b  c')
})
