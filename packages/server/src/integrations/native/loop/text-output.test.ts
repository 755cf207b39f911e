import { expect, it } from 'vitest'
import { createRunEvents } from './run-events.ts'
import { createTextOutput } from './text-output.ts'

const textsWith = async (settings: Parameters<typeof createTextOutput>[1], deltas: readonly string[]) => {
  const events = createRunEvents('run', 's', () => 1)
  const output = createTextOutput(events, settings)
  for (const delta of deltas) output.delta(0, delta)
  output.end(0)
  events.end({ type: 'done', outcome: 'completed', reason: null, text: '', undelivered: [] })
  const texts: string[] = []
  for await (const event of events.queue) if (event.type === 'text-delta') texts.push(event.text)
  return texts
}

it('[NR274] text is streamed as it arrives unless block streaming is on', async () => {
  expect(await textsWith({}, ['one\n\n', 'two'])).toEqual(['one\n\n', 'two'])
  expect(await textsWith({ enabled: true }, ['one\n\n', 'two'])).toEqual(['one\n\ntwo'])
})
