import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseTurn, PAST_THE_SCRIPT, scriptPrompt } from './choose-turn.ts'
import type { ScriptedMessage } from './message.ts'
import { parseScript, type ScriptTurn } from './script.ts'

const user = (text: string): ScriptedMessage => ({ role: 'user', text })
const assistant = (text: string): ScriptedMessage => ({ role: 'assistant', text })
const toolResult = (text: string): ScriptedMessage => ({ role: 'tool', text })
const stepsFor = (...messages: ScriptedMessage[]) => chooseTurn({ messages, tools: [] }).steps

test.each([
  ['[{"say":"Hi"},{"sing":"Hi"}]', 'Step 2 must have exactly one of say, think'],
  ['[[{"say":"Hi"}],[{"wait":"long"}]]', 'Step 1 of turn 2: wait must be a number of milliseconds'],
  ['[[{"say":"Hi"}],{"say":"Hi"}]', 'Turn 2 is not a list of steps'],
  ['[{"say":"Hi","think":"Hm"}]', 'it has say and think'],
  ['[{"say":"Hi","loud":true}]', 'Step 1: say has no “loud”'],
  ['[{"callTool":"read","with":[]}]', 'Step 1: “with” of callTool has the wrong type'],
  ['[{"fail":{"status":42}}]', 'Step 1: fail must be { status'],
  ['[{"fail":{"status":429,"after":1}}]', 'Step 1: fail must be'],
  ['[{"fail":{"status":429,"retryAfter":"1\\n2"}}]', 'Step 1: fail must be'],
  ['[{"answer":{"status":200,"headers":{"a b":"c"}}}]', 'Step 1: answer must be'],
  ['[{"end":{"reason":"bored"}}]', "'length' | 'content-filter'"],
  ['[{"cut":false}]', 'Step 1: cut must be true'],
  ['[{"constructor":1}]', 'it has none'],
  ['[1]', 'Step 1 is not an object'],
  ['{"say":"Hi"}', 'A script must be a list of steps'],
  ['[{"say":', 'The script is not valid JSON'],
])('[SM3] refuses the script %s and names the problem', (json, words) => {
  expect(() => parseScript(json)).toThrow(words)
  expect(stepsFor(user(`\`\`\`script\n${json}\n\`\`\``))).toEqual([
    { fail: { status: 400, message: expect.stringContaining(words) } },
  ])
})

test('[SM3] a script may contain every kind of step', () => {
  const steps: ScriptTurn = [
    { say: 'a' },
    { think: 'b' },
    { callTool: 'read', with: { path: 'a' }, id: 'mine' },
    { badArguments: 'read', text: '{' },
    { echo: 'system' },
    { drip: { text: 'a b', everyMs: 1 } },
    { wait: 0 },
    { usage: { input: 1, output: 2, cacheRead: 1 } },
    { raw: ':\n\n' },
    { end: { reason: 'length' } },
    { fail: { status: 429, message: 'm', code: 'c', retryAfter: 3, inStream: true }, forModel: 'a' },
    { cut: true },
    { refuse: true },
    { stall: true },
    { halfCall: 'read' },
    { openSocket: true },
    { answer: { status: 307, headers: { location: '/' }, body: '' } },
  ]
  expect(parseScript(JSON.stringify(steps))).toEqual([steps])
})

test('[SM3] a prompt can contain any script, with any text around it', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (texts, words) => {
      fc.pre(!words.includes('```'))
      const script = texts.map((say) => [{ say: `${say}\n\`\`\`script\n[]\n\`\`\`` }])
      const [first] = script
      expect(stepsFor(user(`${scriptPrompt(script, words)}\n${words}`))).toEqual(first ?? [{ say: PAST_THE_SCRIPT }])
    }),
  )
})

test('[SM4] call k after the newest script plays turn k, then one closing sentence', () => {
  const asked = user(scriptPrompt([[{ say: '1' }], [{ callTool: 'read' }], [{ say: '3' }]]))
  const after: ScriptedMessage[] = [user('Hello'), assistant('Hi'), asked]
  expect(stepsFor(...after)).toEqual([{ say: '1' }])
  expect(stepsFor(...after, assistant('1'), user('Go on'))).toEqual([{ callTool: 'read' }])
  const read = [...after, assistant('1'), user('Go on'), assistant(''), toolResult('text'), user('By the way')]
  expect(stepsFor(...read)).toEqual([{ say: '3' }])
  expect(stepsFor(...read, assistant('3'), user('And?'))).toEqual([{ say: PAST_THE_SCRIPT }])
  expect(stepsFor(...read, user(scriptPrompt([{ say: 'new' }])))).toEqual([{ say: 'new' }])
})

test('[SM4] adjacent assistant messages count as one, because some protocols join them', () => {
  const asked = user(scriptPrompt([[{ say: '1' }], [{ say: '2' }], [{ say: '3' }]]))
  expect(stepsFor(asked, assistant('a'), assistant('b'), user('x'))).toEqual([{ say: '2' }])
})

test('[SM5] a script in a system message, a tool result or a reply is plain text', () => {
  const foreign = scriptPrompt([{ say: 'taken over' }])
  const own = user(scriptPrompt([[{ callTool: 'read' }], [{ say: 'mine' }]]))
  expect(stepsFor({ role: 'system', text: foreign }, own, assistant(foreign), toolResult(foreign))).toEqual([
    { say: 'mine' },
  ])
  expect(chooseTurn({ messages: [{ role: 'system', text: foreign }, user('Hello')], tools: [] }).by).toBe('persona')
})
