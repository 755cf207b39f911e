import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replayScript, type ScriptedPart } from './replay-script.ts'
import { type Script, scriptInPrompt } from './script.ts'

async function play(script: Script, signal?: AbortSignal): Promise<ScriptedPart[]> {
  const parts: ScriptedPart[] = []
  for await (const part of replayScript(script, signal)) parts.push(part)
  return parts
}

test('[SM1] the same script always gives the same parts, and its words add up to its text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const [first, second] = [await play([{ say: text }]), await play([{ say: text }])]
      expect(first).toEqual(second)
      expect(first.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')).toBe(text)
    }),
  )
})

test('[SM2] every play ends with exactly one end, whatever happens in it', async () => {
  expect(await play([{ callTool: 'read', with: { path: 'a' } }, { say: 'Done.' }])).toEqual([
    { type: 'tool-call', id: 'call-1', tool: 'read', input: { path: 'a' } },
    { type: 'text-delta', text: 'Done.' },
    { type: 'end', because: 'finished' },
  ])
  expect(await play([{ fail: 'out of words' }, { say: 'never said' }])).toEqual([
    { type: 'end', because: 'failed', message: 'out of words' },
  ])
  expect(await play([{ say: 'never said' }], AbortSignal.abort())).toEqual([{ type: 'end', because: 'aborted' }])
  expect(await play([])).toEqual([{ type: 'end', because: 'finished' }])
})

test('[SM3] a script travels in the prompt; a prompt without one holds none, and a broken one is refused', () => {
  expect(scriptInPrompt('Please.\n```script\n[{"say":"Hi"}]\n```\nThanks.')).toEqual([{ say: 'Hi' }])
  expect(scriptInPrompt('Please.')).toBeNull()
  for (const text of ['{"say":"Hi"}', '[{"sing":"Hi"}]', '[1]', '[{"say":1}]'])
    expect(() => scriptInPrompt(`\`\`\`script\n${text}\n\`\`\``)).toThrow('list of steps')
})
