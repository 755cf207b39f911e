import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptPrompt } from '@clawboo/scripted-model'
import { vi } from 'vitest'
import type { PageFixture } from './page-fixture.ts'

export interface ReviewedTask {
  readonly teamId: string
  readonly taskId: string
  /** The address of its changes: a new file, a changed one with a removed line, and a long one. */
  readonly changes: string
  remove(): void
}

/** A task in review that a Boo has really worked on, in a project with a git repository. */
export async function makeReviewedTask({ server }: PageFixture): Promise<ReviewedTask> {
  const { client } = server
  const project = mkdtempSync(join(tmpdir(), 'clawboo-reviewed-'))
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...words], { cwd: project })
  writeFileSync(join(project, 'readme.txt'), 'A project\nOld words\nThe end\n')
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  const model = (await client.listProviders({})).demoModel!
  const { id: kit } = await client.createAgent({ body: { name: 'Kit', execConfig: { model } } })
  const { team } = await client.createTeam({ body: { name: 'Reviews', memberIds: [kit] } })
  await client.setTeamProject({ params: { teamId: team.id }, body: { folder: project, checkCommand: 'true' } })
  const writes = (path: string, content: string) => [{ callTool: 'write', with: { path, content } }] as const
  const body = scriptPrompt(
    [
      writes('greeting.txt', 'Good morning\n'),
      writes('readme.txt', 'A project\nNew words\nThe end\n'),
      writes('zebra.txt', Array.from({ length: 80 }, (_, at) => `Stripe ${at + 1}\n`).join('')),
      [{ say: 'All is written.' }],
    ],
    'Greet.',
  )
  const assignee = { kind: 'agent', id: kit } as const
  const task = await client.createTask({
    params: { teamId: team.id },
    body: { title: 'Greet everybody', body, assignee, changesFiles: true },
  })
  const isReviewed = async () => (await client.getTask({ params: { taskId: task.id } })).task.status === 'in_review'
  await vi.waitUntil(isReviewed, { timeout: 60_000, interval: 100 })
  return {
    teamId: team.id,
    taskId: task.id,
    changes: `/board/${team.id}?task=${task.id}&view=changes`,
    remove: () => rmSync(project, { recursive: true, force: true }),
  }
}
