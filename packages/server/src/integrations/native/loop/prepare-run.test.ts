import { globSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { RuntimeEvent } from '@clawboo/core/executor'
import { expect, it } from 'vitest'
import { NO_FILES, openTestRuntime, playing } from '../test-runtime.ts'

it('[NR418] after a failed write, the next run reopens the transcript and continues', async () => {
  const test = await openTestRuntime()
  const agent = await test.makeAgent()
  const run = async (
    runId: string,
    text: string,
    onEvent: (event: RuntimeEvent) => Promise<void> | void = () => {},
  ) => {
    const task = { agent, files: NO_FILES, sessionKey: 'main', prompt: { id: `prompt-${runId}`, text } }
    const options = { runId, guard: { mayCallModel: async () => null }, resume: null, home: null, folder: null }
    const events: RuntimeEvent[] = []
    for await (const event of test.runtime.events(await test.runtime.start(task, options))) {
      events.push(event)
      await onEvent(event)
    }
    return events.at(-1)
  }
  const held = playing(test, [{ callTool: 'held' }, { say: 'never' }])
  const broken = await run('r1', held, async ({ type }) => {
    if (type !== 'tool-call') return
    for (const file of globSync(`${test.homeFolder}/${agent.id}/sessions/*.jsonl`)) await rm(file)
    await test.release()
  })
  expect(broken).toMatchObject({ type: 'error', reason: 'session_unwritable' })
  expect(await run('r2', playing(test, [{ say: 'here again' }]))).toMatchObject({ type: 'done', text: 'here again' })
  await test.dispose()
})
