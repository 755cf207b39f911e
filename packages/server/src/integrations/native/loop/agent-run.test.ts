import { describe, expect, it } from 'vitest'
import { openSession } from '../session/session.ts'
import { temporaryFolder, user } from '../session/test-messages.ts'
import { RunGate } from './run-gate.ts'
import { answered, inShort, says, testLoop } from './test-loop.ts'

const steer = (id: string) => ({ id, text: `steer ${id}` })

describe('Prompts of a run', () => {
  it('[NR400] steers reach the model in order, after every call of the batch and before the next model call', async () => {
    let ran = 0
    const loop = await testLoop({
      answers: [() => says('two calls', 'c1', 'c2'), () => says('understood')],
      tools: {
        async run() {
          ran += 1
          for (const id of ran === 1 ? ['s1', 's2'] : ['s3']) loop.gate.steer(steer(id))
          return { content: [{ type: 'text', text: `ran ${ran}` }], isError: false }
        },
      },
    })
    await loop.play()
    expect(loop.calls.length).toBe(2)
    expect(inShort(loop.calls[1]!)).toEqual([
      'user: first',
      'assistant: two calls',
      'call c1',
      'call c2',
      'result c1: ran 1',
      'result c2: ran 2',
      'user: steer s1',
      'user: steer s2',
      'user: steer s3',
    ])
  })

  it('[NR401] a steer that arrives during the last answer gets its own answer', async () => {
    const loop = await testLoop({
      answers: [
        function* () {
          yield { t: 'text', delta: 'bye' }
          loop.gate.steer(steer('s1'))
          yield answered([{ type: 'text', text: 'bye' }])
        },
        () => says('still here'),
      ],
    })
    const events = await loop.play()
    expect(loop.calls.map((messages) => inShort(messages).at(-1))).toEqual(['user: first', 'user: steer s1'])
    expect(events.at(-1)).toMatchObject({ type: 'done', outcome: 'completed', text: 'still here', undelivered: [] })
    expect(loop.gate.steer(steer('s2'))).toEqual({ accepted: false, reason: 'no_active_run' })
  })

  it('[NR402] a steer that arrives while another is being written is reported as delivered only after it is written too', async () => {
    const loop = await testLoop({
      answers: [() => says('a call', 'c1'), () => says('done')],
      tools: {
        async run() {
          loop.gate.steer(steer('s1'))
          return { content: [], isError: false }
        },
      },
      async append(session, messages) {
        await session.append(...messages)
        if (messages.some((message) => message.role === 'user' && message.messageId === 's1'))
          loop.gate.steer(steer('s2'))
      },
    })
    const events = await loop.play()
    expect(inShort(loop.session.context()).filter((line) => line.startsWith('user'))).toEqual([
      'user: first',
      'user: steer s1',
      'user: steer s2',
    ])
    const delivered = events.flatMap((event) => (event.type === 'status' && event.promptId ? [event.promptId] : []))
    expect(delivered).toEqual(['p1', 's1', 's2'])
  })

  it('[NR403] a prompt that was stored before a crash is reported as delivered and not stored again', async () => {
    const session = await openSession(await temporaryFolder(), 's', { cwd: '/', now: () => 1 })
    await session.append(user('first', 'p1'))
    const loop = await testLoop({ answers: [() => says('hello')], session })
    const events = await loop.play()
    expect(inShort(session.context())).toEqual(['user: first', 'assistant: hello'])
    expect(events).toContainEqual(expect.objectContaining({ state: 'prompt-delivered', promptId: 'p1' }))
  })
})

describe('The end of a run', () => {
  it('[NR404] an abort during a batch gives every call one result, ends the run as aborted and makes no further model call', async () => {
    const loop = await testLoop({
      answers: [() => says('three calls', 'c1', 'c2', 'c3')],
      tools: {
        async run(call) {
          if (call.id === 'c2') loop.controller.abort()
          loop.gate.steer(steer(`after-${call.id}`))
          return { content: [{ type: 'text', text: `ran ${call.id}` }], isError: false }
        },
      },
    })
    const events = await loop.play()
    expect(inShort(loop.session.context()).slice(-3)).toEqual([
      'result c1: ran c1',
      'result c2: ran c2',
      'result c3: aborted',
    ])
    expect(events.at(-1)).toMatchObject({ outcome: 'aborted', undelivered: ['after-c1', 'after-c2'] })
    expect(loop.calls.length).toBe(1)
    const ran = events.flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []))
    expect(ran).toEqual(['c1', 'c2'])
  })

  it('[NR405] an abort during an answer keeps the text so far and none of its tool calls', async () => {
    const loop = await testLoop({
      answers: [
        function* () {
          yield { t: 'text', delta: 'so far' }
          loop.controller.abort()
          yield answered([{ type: 'toolCall', id: 'c1', name: 'look', arguments: {} }])
        },
      ],
    })
    const events = await loop.play()
    expect(inShort(loop.session.context())).toEqual(['user: first', 'assistant: so far'])
    expect(events.at(-1)).toMatchObject({ outcome: 'aborted', text: 'so far' })
  })

  it('[NR406] an abort after the run has reached its end changes nothing', async () => {
    class LateAbort extends RunGate {
      override closeWhenEmpty(): boolean {
        const closed = super.closeWhenEmpty()
        loop.controller.abort()
        return closed
      }
    }
    const loop = await testLoop({ answers: [() => says('hello')], gate: new LateAbort() })
    expect((await loop.play()).at(-1)).toMatchObject({ type: 'done', outcome: 'completed', text: 'hello' })
  })

  it('[NR407] a transcript that cannot be written ends the run and returns the undelivered prompts', async () => {
    const loop = await testLoop({
      answers: [() => says('a call', 'c1')],
      tools: {
        async run() {
          loop.gate.steer(steer('s1'))
          return { content: [], isError: false }
        },
      },
      async append(session, messages) {
        if (messages.some(({ role }) => role === 'toolResult')) throw new Error('the disk is full')
        await session.append(...messages)
      },
    })
    expect((await loop.play()).at(-1)).toMatchObject({
      type: 'error',
      reason: 'session_unwritable',
      message: 'the disk is full',
      undelivered: ['s1'],
    })
    const never = await testLoop({ answers: [], append: () => Promise.reject(new Error('the disk is full')) })
    expect((await never.play()).at(-1)).toMatchObject({ type: 'error', undelivered: ['p1'] })
    expect(never.calls).toEqual([])
  })

  it('[NR408] a limit ends the run before the model call that it forbids, even right after a compaction', async () => {
    const tripped = { reason: 'usd_limit', scope: 'agent', figure: 0.51234, cap: 0.5 } as const
    const first = await testLoop({ answers: [() => says('never')], tripped: () => tripped })
    const detail = 'usd of this agent: 0.5123 of 0.5'
    expect((await first.play()).at(-1)).toMatchObject({ outcome: 'stopped', reason: 'usd_limit', detail })
    expect(first.calls).toEqual([])
    let spent = false
    const later = await testLoop({
      answers: [() => says('never')],
      tripped: () => (spent ? tripped : null),
      context: {
        async prepare() {
          spent = true
          return { kind: 'ready', messages: [] }
        },
      },
    })
    expect((await later.play()).at(-1)).toMatchObject({ outcome: 'stopped', reason: 'usd_limit' })
    expect(later.calls).toEqual([])
  })

  it('[NR409] repeated rounds without progress stop the run with a reason and return the undelivered prompts', async () => {
    const loop = await testLoop({
      answers: [() => says('again', 'c1')],
      tools: {
        async run() {
          loop.gate.steer(steer('s1'))
          return { content: [], isError: false }
        },
      },
      repeats: { observe: () => ({ kind: 'stop', reason: 'repeat_limit', detail: 'the same call 20 times' }) },
    })
    expect((await loop.play()).at(-1)).toMatchObject({
      outcome: 'stopped',
      reason: 'repeat_limit',
      detail: 'the same call 20 times',
      undelivered: ['s1'],
    })
    expect(inShort(loop.session.context()).at(-1)).toBe('result c1: ')
  })
})

describe('Model failures', () => {
  const overflow = function* () {
    yield { t: 'failed', overflow: true, message: 'too long' } as const
  }

  it('[NR410] after an overflow the loop makes room and calls the model again', async () => {
    let shrunk = 0
    const context = { shrink: async () => ++shrunk > 0 }
    const loop = await testLoop({ answers: [overflow, overflow, () => says('fits')], context })
    expect((await loop.play()).at(-1)).toMatchObject({ outcome: 'completed', text: 'fits' })
    expect([shrunk, loop.calls.length]).toEqual([2, 3])
  })

  it('[NR411] an overflow ends the run when no room can be made, or after three tries', async () => {
    const none = await testLoop({ answers: [overflow] })
    expect((await none.play()).at(-1)).toMatchObject({ reason: 'context_overflow', message: 'too long' })
    const always = await testLoop({ answers: Array(9).fill(overflow), context: { shrink: async () => true } })
    expect((await always.play()).at(-1)).toMatchObject({ type: 'error', reason: 'context_overflow' })
    expect(always.calls.length).toBe(4)
  })

  it('[NR412] a model that fails, or ends without an answer, ends the run and leaves nothing in the transcript', async () => {
    for (const answer of [() => [{ t: 'failed', overflow: false, message: 'no' } as const], () => []]) {
      const loop = await testLoop({ answers: [answer] })
      expect((await loop.play()).at(-1)).toMatchObject({ type: 'error', fatal: true, reason: 'model_failed' })
      expect(inShort(loop.session.context())).toEqual(['user: first'])
    }
  })

  it('[NR413] a second try of a model call is streamed as a new message', async () => {
    const loop = await testLoop({
      answers: [
        function* () {
          yield { t: 'text', delta: 'half' }
          yield { t: 'attempt', provider: 'test', model: 'two' }
          yield* says('whole')
        },
      ],
    })
    const events = await loop.play()
    const texts = events.flatMap((event) =>
      event.type === 'text-delta' ? [[event.message, event.offset, event.text]] : [],
    )
    expect(texts).toEqual([
      [0, 0, 'half'],
      [1, 0, 'whole'],
    ])
    expect(inShort(loop.session.context())).toEqual(['user: first', 'assistant: whole'])
  })

  it('[NR414] a silent reply is stored in the transcript and not streamed', async () => {
    const loop = await testLoop({
      answers: [
        function* () {
          yield { t: 'text', delta: 'NO_' }
          yield { t: 'text', delta: 'REPLY' }
          yield answered([{ type: 'text', text: 'NO_REPLY' }])
        },
      ],
    })
    const events = await loop.play()
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([])
    expect(events.at(-1)).toMatchObject({ outcome: 'completed', text: '' })
    expect(inShort(loop.session.context()).at(-1)).toBe('assistant: NO_REPLY')
  })
})
