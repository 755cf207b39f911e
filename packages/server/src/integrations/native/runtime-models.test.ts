import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuntimeEvent } from '@clawboo/core/executor'
import { scriptPrompt } from '@clawboo/scripted-model'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestRuntime, playing, SCRIPTED, SPARE, type TestRuntime, textsIn } from './test-runtime.ts'
import { detailsOf, say, talk } from './test-talk.ts'

const MINUTE = 60_000
const CLAUDE = 'anthropic/claude-haiku-4-5'

let boo: TestRuntime
let at = Date.UTC(2026, 0, 1)
beforeEach(async () => {
  boo = await openTestRuntime({
    now: () => at,
    models: [
      { id: 'boo' },
      { id: 'other' },
      { id: 'small', contextWindow: 20_000 },
      { id: 'tiny', contextWindow: 2000 },
    ],
  })
  await boo.host.secrets.store('ANTHROPIC_API_KEY', 'not-a-real-key')
})
afterEach(() => boo.dispose())

const modelsOf = (events: readonly RuntimeEvent[]) =>
  events.flatMap((event) => (event.type === 'cost' ? [event.model] : []))

describe('model choice', () => {
  const refused = { fail: { status: 401, message: 'no such key' }, forModel: 'boo' } as const
  const write = { callTool: 'write', with: { path: 'a.txt', content: 'a' } } as const
  const broken = scriptPrompt([
    [refused, write],
    [refused, write],
    [refused, { say: 'done' }],
  ])

  test('[NR460] a model that a person chose never falls back to another', async () => {
    const agent = await boo.makeAgent({ fallbackModels: [`${SPARE}/other`] })
    const { events, end } = await say(boo, agent, broken, { model: `${SCRIPTED}/boo` })
    expect(end).toMatchObject({
      type: 'error',
      reason: 'model_failed',
      message: expect.stringContaining('no such key'),
    })
    expect(detailsOf(events, 'model-changed')).toEqual([])
    expect(new Set(boo.calls().map(({ model }) => model))).toEqual(new Set(['boo']))
  })

  test('[NR461] a configured model falls back to the next one, and the run reports it once', async () => {
    const agent = await boo.makeAgent({ model: `${SCRIPTED}/boo`, fallbackModels: [`${SPARE}/other`] })
    const { events, text } = await say(boo, agent, broken)
    expect(text).toBe('done')
    expect(detailsOf(events, 'model-changed')).toEqual([
      expect.stringMatching(/^spare\/other answers instead of scripted\/boo: .*no such key/),
    ])
    expect(modelsOf(events)).toEqual(Array.from({ length: 3 }, () => `${SPARE}/other`))
  })

  test('[NR461] an agent’s model without its own fallbacks is used alone', async () => {
    const agent = await boo.makeAgent({ model: `${SCRIPTED}/boo` })
    expect((await say(boo, agent, broken)).end).toMatchObject({ type: 'error', reason: 'model_failed' })
  })

  test('[NR462] a model chosen during a run answers from the next call on, within its own window', async () => {
    const agent = await boo.makeAgent({ model: `${SCRIPTED}/boo` })
    const run = await talk(boo, agent, playing(boo, [{ callTool: 'held' }, { say: 'all done' }]))
    await run.until((event) => event.type === 'tool-call')
    await expect(boo.runtime.setModel!(run.handle, `${SCRIPTED}/tiny`)).rejects.toThrow('too few')
    await boo.runtime.setModel!(run.handle, `${SCRIPTED}/small`)
    await boo.release()
    expect(await run.end()).toMatchObject({ outcome: 'completed', text: 'all done' })
    const costs = run.events.flatMap((event) => (event.type === 'cost' ? [event] : []))
    expect(costs.map(({ model }) => model)).toEqual([`${SCRIPTED}/boo`, `${SCRIPTED}/small`])
    expect(costs[1]!.contextWindowTokens).toBe(20_000)
  })
})

describe('reporting', () => {
  test('[NR463] tool summaries appear with calls and results at the requested level of detail', async () => {
    const agent = await boo.makeAgent({ verbose: 'full' })
    const words = scriptPrompt([
      [
        { callTool: 'write', with: { path: 'notes/a.txt', content: 'hello' } },
        { callTool: 'read', with: { path: 'missing.txt' } },
      ],
      [{ say: 'done' }],
    ])
    const summaries = async (verbose?: 'off' | 'on' | 'full') => {
      const { events } = await say(boo, agent, words, verbose === undefined ? {} : { verbose })
      return ['tool-call', 'tool-result'].map((type) =>
        events.flatMap((event) =>
          event.type === type && 'tool' in event ? [('summary' in event && event.summary) || ''] : [],
        ),
      )
    }
    const lines = [expect.stringMatching(/^✍️ .*notes\/a\.txt/), expect.stringMatching(/^📖 .*missing\.txt/)]
    const failed = expect.stringMatching(/^⚠️ .* failed$/)
    expect(await summaries('off')).toEqual([
      ['', ''],
      ['', failed],
    ])
    expect(await summaries('on')).toEqual([lines, ['', expect.stringMatching(/^⚠️ .* failed: ./)]])
    const [calls, results] = await summaries()
    expect(calls).toEqual(lines)
    expect(results![0]).toMatch(/^✍️ .*notes\/a\.txt.*\n/)
    expect(results![1]).toMatch(/^⚠️ .* failed\n/)
  })

  test('[NR464] with block streaming, text arrives in blocks of at most 1200 characters, and the final text is complete', async () => {
    const agent = await boo.makeAgent({ blockStreaming: { enabled: true } })
    const paragraph = (n: number) => `Paragraph ${n}. ${'Moss grows slowly on the north side. '.repeat(10)}`.trim()
    const text = Array.from({ length: 12 }, (_, n) => paragraph(n)).join('\n\n')
    const { events, end } = await say(boo, agent, scriptPrompt([[{ say: text }]]))
    expect(end).toMatchObject({ type: 'done', text })
    const blocks = events.flatMap((event) => (event.type === 'text-delta' ? [event] : []))
    expect(blocks.length).toBeGreaterThan(3)
    expect(blocks.every(({ block }) => block)).toBe(true)
    expect(Math.max(...blocks.map((block) => block.text.length))).toBeLessThanOrEqual(1200)
    for (const block of blocks) expect(text.slice(block.offset, block.offset + block.text.length)).toBe(block.text)
    expect(blocks.map((block) => block.text).join('\n\n')).toBe(text)
  })
})

test('[NR465] old results are dropped from a request only after the provider’s cache has expired', async () => {
  const agent = await boo.makeAgent({ contextWindowTokens: 60_000 })
  await say(boo, agent, 'hello')
  await writeFile(join(boo.homeFolder, agent.id, 'workspace', 'long.txt'), `${'moss '.repeat(17)}\n`.repeat(180))
  const read = { callTool: 'read', with: { path: 'long.txt' } }
  const ask = async (model: string) => {
    const key = { sessionKey: `agent:${agent.id}:${model}`, model }
    const steps = [[read], [read], [read], [read], [read], [{ say: 'a' }]]
    await say(boo, agent, scriptPrompt(steps), key)
    await say(boo, agent, 'hello', key)
    at += 4 * MINUTE
    await say(boo, agent, 'hello', key)
    const soon = textsIn(boo.calls().at(-1)).join('').length
    at += 6 * MINUTE
    await say(boo, agent, 'hello', key)
    return { soon, later: textsIn(boo.calls().at(-1)).join('').length }
  }
  const claude = await ask(CLAUDE)
  expect(claude.soon).toBeGreaterThan(75_000)
  expect(claude.later).toBeLessThan(50_000)
  const other = await ask(`${SCRIPTED}/boo`)
  expect(other.later).toBeGreaterThan(75_000)
})
