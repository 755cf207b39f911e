import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OfferedTool, ScriptedMessage, ScriptedToolCall } from '../message.ts'
import { INTRODUCTION, personaTurn } from './persona.ts'

const TOOLS: OfferedTool[] = ['read', 'write', 'edit', 'exec', 'process'].map((name) => ({ name }))

interface World {
  tools?: readonly OfferedTool[]
  /** The result of the nth call of a tool. */
  result?: (call: ScriptedToolCall, nth: number) => Partial<ScriptedMessage>
  /** The text that the person adds after the nth round of tools. */
  adds?: Readonly<Record<number, string>>
}

/** Runs the persona in an agent loop until it requests no more tools. */
function converse(prompts: readonly string[], { tools = TOOLS, result, adds = {} }: World = {}) {
  const messages: ScriptedMessage[] = [{ role: 'system', text: 'You are a helpful agent.' }]
  const answers: { text: string; calls: ScriptedToolCall[] }[] = []
  for (const prompt of prompts) {
    messages.push({ role: 'user', text: prompt })
    for (let round = 0; ; round++) {
      if (round > 50) throw new Error(`no end after ${round} rounds: ${JSON.stringify(prompts)}`)
      const steps = personaTurn(messages, tools)
      const text = steps.map((step) => ('say' in step ? step.say : '')).join('')
      const calls = steps.flatMap((step, at) =>
        'callTool' in step
          ? [{ id: `${messages.length}-${at}`, tool: step.callTool, input: JSON.stringify(step.with) }]
          : [],
      )
      answers.push({ text, calls })
      messages.push({ role: 'assistant', text, toolCalls: calls })
      if (calls.length === 0) break
      for (const call of calls)
        messages.push({ role: 'tool', text: 'ok', callId: call.id, ...result?.(call, answers.length) })
      const added = adds[round]
      if (added !== undefined) messages.push({ role: 'user', text: added })
    }
  }
  return { answers, last: answers.at(-1)!.text, calls: answers.flatMap(({ calls }) => calls) }
}

const callsOf = (calls: readonly ScriptedToolCall[]) =>
  calls.map(({ tool, input }) => {
    const { path, command } = JSON.parse(input) as { path?: string; command?: string }
    return `${tool} ${path ?? command}`
  })

const sentence = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...'write make a plan list haiku file about for the sea run `ls` `rm -rf /` count files remember stop instead also read notes.md MAIN.md ? : … 東京 our launch hello'.split(
          ' ',
        ),
      ),
      { maxLength: 12 },
    )
    .map((words) => words.join(' ')),
)

test('[SM40] the first reply of a conversation states that it is scripted and not an AI; later ones do not', () => {
  expect(INTRODUCTION).toMatch(/scripted.*not an AI/)
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 3 }), (prompts) => {
      const { answers } = converse(prompts)
      expect(answers.map(({ text }) => text.includes(INTRODUCTION))).toEqual(answers.map((_, at) => at === 0))
    }),
  )
})

test('[SM41] text that a program appends to every request does not keep a run going', () => {
  const work: ScriptedMessage[] = [{ role: 'user', text: 'Make a plan for our launch' }]
  const last: ScriptedMessage = { role: 'user', text: 'Write a list of what you did' }
  for (let round = 0; ; round++) {
    const steps = personaTurn([...work, last], TOOLS)
    const call = steps.find((step) => 'callTool' in step)
    if (!call) break
    expect(round).toBeLessThan(20)
    const id = String(round)
    work.push({
      role: 'assistant',
      text: '',
      toolCalls: [{ id, tool: call.callTool, input: JSON.stringify(call.with) }],
    })
    work.push({ role: 'tool', text: 'ok', callId: id })
  }
})

test('[SM41] calls only offered tools and ends every run, whatever is asked, added or returned', () => {
  const offered = fc.subarray(['read', 'write', 'exec', 'Write', 'bash', 'read_file', 'other', 'say'])
  const answer = fc.record({
    text: fc.oneof(sentence, fc.constant('Denied.')),
    isError: fc.option(fc.boolean(), { nil: undefined }),
  })
  fc.assert(
    fc.property(
      fc.array(sentence, { minLength: 1, maxLength: 3 }),
      offered,
      fc.array(answer, { minLength: 1 }),
      fc.dictionary(fc.constantFrom('0', '1', '2', '3'), sentence),
      (prompts, names, results, adds) => {
        const tools = names.map((name) => ({ name }))
        const { answers, calls } = converse(prompts, {
          tools,
          adds,
          result: (_, nth) => results[nth % results.length]!,
        })
        expect(calls.filter(({ tool }) => !names.includes(tool))).toEqual([])
        expect(answers.every(({ text }) => text.trim() !== '')).toBe(true)
      },
    ),
  )
})

describe('[SM42] small documents', () => {
  test.each([
    ['Write a haiku about the sea', 'haiku-sea.md'],
    ['Please make me a list of ideas for the party', 'list-ideas-for-the-party.md'],
    ['Plan our launch', 'plan-launch.md'],
    ['Can you help me plan my week?', 'plan-week.md'],
    ['Draft a letter about the move in letters/move.txt', 'letters/move.txt'],
    ['create a file called hello.txt', 'hello.txt'],
  ])('[SM42] “%s” becomes %s, is read back and reported', (prompt, path) => {
    const { calls, last } = converse([prompt])
    expect(callsOf(calls)).toEqual([`write ${path}`, `read ${path}`])
    expect(last).toContain(`I wrote \`${path}\``)
  })

  test('[SM42] a request to remember becomes a note with the person’s own words', () => {
    const { calls } = converse(['Remember that Ana likes tea, and that the shop closes at five.'])
    expect(calls).toHaveLength(1)
    expect(JSON.parse(calls[0]!.input)).toEqual({
      path: 'notes/ana-likes-tea-and-that-the-shop-closes-at-five.md',
      content: '# Note\n\nAna likes tea, and that the shop closes at five.\n',
    })
  })

  test('[SM42] uses the tool’s own argument names', () => {
    const properties = { file_path: { type: 'string' }, content: { type: 'string' } }
    const { calls } = converse(['Write a haiku about tea'], { tools: [{ name: 'Write', inputSchema: { properties } }] })
    expect(calls).toHaveLength(1)
    expect(JSON.parse(calls[0]!.input)).toMatchObject({
      file_path: 'haiku-tea.md',
      content: expect.stringContaining('tea'),
    })
  })

  test('[SM42] without a tool that writes, the reply contains the text', () => {
    expect(converse(['Write a poem about cats'], { tools: [] }).last).toMatch(
      /no tool here that writes[\s\S]*put cats within it/,
    )
  })

  test('[SM42] conversation needs no tool', () => {
    for (const prompt of ['Hello!', 'who are you?', 'Why is the sky blue?', 'Thanks', '', 'blorp'])
      expect(converse([prompt]).calls).toEqual([])
  })
})

describe('[SM43] messages while it works', () => {
  test('[SM43] adds a wish for the document to the file', () => {
    const { answers, calls } = converse(['Plan our launch'], { adds: { 0: 'focus on small bakeries' } })
    expect(answers[1]!.text).toContain('You added: “focus on small bakeries”. I’ll put it into the file.')
    expect(callsOf(calls)).toEqual(['write plan-launch.md', 'write plan-launch.md', 'read plan-launch.md'])
    expect(calls[1]!.input).toContain('focus on small bakeries')
  })

  test('[SM43] does another task next, or instead', () => {
    const next = converse(['Write a haiku about tea'], { adds: { 0: 'also list the files' } })
    expect(callsOf(next.calls)).toEqual(['write haiku-tea.md', 'read haiku-tea.md', 'exec ls'])
    expect(next.answers[1]!.text).toContain('I’ll do that next.')
    const instead = converse(['Write a haiku about tea'], { adds: { 0: 'list the files instead' } })
    expect(callsOf(instead.calls)).toEqual(['write haiku-tea.md', 'exec ls'])
    expect(instead.answers[1]!.text).toContain('I’ll do that instead.')
  })

  test('[SM43] a stop ends the run with the work so far', () => {
    const { answers, calls, last } = converse(['Plan our launch'], { adds: { 0: 'Stop, please' } })
    expect(callsOf(calls)).toEqual(['write plan-launch.md'])
    expect(answers).toHaveLength(2)
    expect(last).toMatch(/You added: “Stop, please”\. I’ll stop here\.[\s\S]*I wrote/)
  })

  test('[SM43] answers several messages at once', () => {
    const messages: ScriptedMessage[] = [
      { role: 'user', text: 'List the files' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', tool: 'exec', input: '{"command":"ls"}' }] },
      { role: 'tool', text: 'a.md', callId: 'a' },
      { role: 'user', text: 'quickly' },
      { role: 'user', text: 'and kindly' },
    ]
    expect(personaTurn(messages, TOOLS)).toEqual([
      { say: expect.stringMatching(/You added: “quickly”[\s\S]*You added: “and kindly”[\s\S]*I ran `ls`/) },
    ])
  })
})

describe('[SM44] failing tools', () => {
  test.each<Partial<ScriptedMessage>>([
    { text: 'The folder is read-only.', isError: true },
    { text: 'Denied by the person.' },
    { text: 'Tool call execution denied.' },
    { text: '{"error":"no space"}' },
    { text: 'Error: EACCES' },
  ])('[SM44] reports the result $text and does not read the file back', (result) => {
    const { calls, last } = converse(['Write a haiku about tea'], { result: () => result })
    expect(callsOf(calls)).toEqual(['write haiku-tea.md'])
    expect(last).toContain('I could not write `haiku-tea.md`')
    expect(last).toContain('I did not try again')
    expect(last).not.toContain('I wrote')
  })

  test('[SM44] a file that mentions denial is not a denial', () => {
    const { last } = converse(['read notes.md'], { result: () => ({ text: 'Access was denied to the cat.' }) })
    expect(last).toContain('> Access was denied to the cat.')
  })
})

describe('[SM45] harmless commands and files', () => {
  test.each([
    ['list the files', 'exec ls'],
    ['How many files are in the workspace?', 'exec ls'],
    ['run `pwd`', 'exec pwd'],
    ['Run ls -la', 'exec ls -la'],
    ['what time is it?', 'exec date'],
  ])('[SM45] “%s” runs %s', (prompt, call) => {
    expect(callsOf(converse([prompt]).calls)).toEqual([call])
  })

  test.each([
    'run `rm -rf /`',
    'run `ls; rm x`',
    'run `ls $(rm x)`',
    'execute "curl x | sh"',
    'run `date > x`',
    'run `date -s 2020`',
    'run ls\nrm x',
  ])('[SM45] “%s” runs nothing', (prompt) => {
    expect(converse([prompt]).calls).toEqual([])
  })

  test('[SM45] writes a draft beside a file in capitals, and no path leaves the folder', () => {
    expect(callsOf(converse(['write a page about us in ABOUT.md']).calls)[0]).toBe('write about-draft.md')
    for (const path of ['../x.md', '/etc/x.md', 'a/../../x.md', '~/x.md'])
      for (const call of converse([`write a note about tea in ${path}`, `read ${path}`]).calls)
        expect((JSON.parse(call.input) as { path: string }).path).not.toMatch(/\.\.|^\/|~/)
  })
})
