import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SharedAgent, stored, testLane } from './test-lane.ts'

const tick = (ms = 1) => vi.advanceTimersByTimeAsync(ms)

describe('A conversation', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('[CV3] has one run at a time, and delivers waiting messages in order', async () => {
    const test = testLane()
    expect(await test.say('m1')).toBe('start')
    expect(await test.say('m2')).toBe('queued')
    expect(await test.say('m3')).toBe('queued')
    for (const id of ['m1', 'm2', 'm3']) {
      await test.deliver(id)
      await test.end()
      await tick()
    }
    expect(test.log).toEqual([
      'start m1',
      'delivered m1',
      'run-1 completed',
      'start m2',
      'delivered m2',
      'run-2 completed',
      'start m3',
      'delivered m3',
      'run-3 completed',
    ])
  })

  it('[CV4] retries a batch that cannot start after 1, 5 and 30 seconds, reports it, and continues with the next', async () => {
    const test = testLane()
    test.starts = ['rejects', 'rejects', 'rejects', 'rejects', 'runs']
    await test.say('m1')
    await test.say('m2')
    const startsAfter = async (ms: number) => {
      await tick(ms)
      return test.log.filter((line) => line === 'start m1').length
    }
    expect([await startsAfter(900), await startsAfter(200), await startsAfter(4_800), await startsAfter(300)]).toEqual([
      1, 2, 2, 3,
    ])
    await tick(30_100)
    expect(test.log.slice(-3)).toEqual(['start m1', 'gave up (cannot start) m1', 'start m2'])
  })

  it('[CV5] ends the run for an interrupt, which is delivered before waiting messages', async () => {
    const test = testLane()
    await test.say('m1')
    await test.deliver('m1')
    await test.say('m2')
    expect(await test.say('m3', 'interrupt')).toBe('interrupt')
    await test.end({ outcome: 'aborted', reason: 'aborted_by_message' })
    await tick()
    expect(test.log.slice(2)).toEqual(['stop aborted_by_message', 'run-1 aborted', 'start m3'])
    await test.say('m4', 'interrupt')
    await test.end({ outcome: 'aborted', reason: 'aborted_by_message' })
    await tick()
    // The message whose run the interrupt ended is delivered with it.
    expect(test.log.slice(-2)).toEqual(['run-2 aborted m3', 'start m3 m4'])
  })

  it('[CV6] lets a message be withdrawn until its delivery begins', async () => {
    const test = testLane()
    await test.say('m1')
    await test.say('m2')
    await test.say('m3', 'steer')
    expect(await test.lane.withdraw(['m1', 'm2', 'm3'])).toEqual(['m2'])
    expect(test.log.at(-1)).toBe('withdrawn (withdrawn by a person) m2')
  })

  it('[CV7] shares its agent: one run at a time in all conversations, alternating, and the next as soon as the agent is free', async () => {
    const agent: SharedAgent = { holder: null, lanes: [] }
    const [one, other] = [testLane({}, agent), testLane({}, agent)]
    other.starts = ['hangs', 'runs']
    const starting = other.say('o1')
    expect(await one.say('m1')).toBe('queued')
    await tick(100)
    expect(one.log).toEqual([])
    other.completeStart()
    await starting
    await other.say('o2')
    await other.deliver('o1')
    await other.end()
    await tick()
    expect(one.log).toEqual(['start m1'])
    expect(other.log.filter((line) => line.startsWith('start'))).toEqual(['start o1'])
    await one.deliver('m1')
    await one.end()
    await tick()
    expect(other.log.at(-1)).toBe('start o2')
  })

  it('[CV8] restores accepted messages, regardless of the cap and of how recent they are', async () => {
    const test = testLane({ cap: 1, drop: 'new' })
    test.starts = ['rejects', 'rejects', 'rejects', 'rejects', 'runs']
    await test.say('m1')
    await tick(40_000)
    expect(test.log.at(-1)).toBe('gave up (cannot start) m1')
    await test.lane.restore(['m1', 'm2', 'm3'].map((id) => stored(id)))
    await tick()
    for (const id of ['m1', 'm2', 'm3']) {
      await test.deliver(id)
      await test.end()
      await tick()
    }
    expect(test.log.filter((line) => line.startsWith('delivered'))).toEqual([
      'delivered m1',
      'delivered m2',
      'delivered m3',
    ])
  })

  it('[CV9] stops a run that is still starting, and withdraws its message', async () => {
    const test = testLane()
    test.starts = ['hangs']
    const starting = test.say('m1')
    await tick()
    const stopped = test.lane.stop('aborted_by_person')
    test.completeStart()
    expect([await starting, await stopped]).toEqual(['start', 'run-1'])
    await test.end({ outcome: 'aborted', reason: 'aborted_by_person' })
    expect(test.log.at(-1)).toBe('withdrawn (stopped before it was delivered) m1')
    expect(await test.lane.stop('aborted_by_person')).toBeNull()
  })

  it('[CV10] starts nothing after it is closed: a starting run is ended, and accepted messages wait', async () => {
    const test = testLane()
    test.starts = ['hangs']
    const starting = test.say('m1')
    await tick()
    const closing = test.lane.close('server_stopping')
    test.completeStart()
    await starting
    await tick()
    expect(test.log.at(-1)).toBe('stop server_stopping')
    await test.end({ outcome: 'stopped', reason: 'server_stopping' })
    await closing
    expect(await test.say('m2')).toBe('queued')
    await tick(60_000)
    expect(test.log.filter((line) => line.startsWith('start'))).toEqual(['start m1'])
  })

  it('[CV11] stores a steering message before it is offered to the run, and requeues messages that the run did not deliver', async () => {
    const test = testLane()
    await test.say('m1')
    await test.deliver('m1')
    expect(await test.say('s1', 'steer')).toBe('steer')
    expect(await test.say('s2', 'steer')).toBe('steer')
    await test.deliver('s1')
    await test.lane.stop('aborted_by_person')
    await test.say('s3', 'steer')
    await test.end({ outcome: 'aborted', reason: 'aborted_by_person' })
    await tick(2)
    expect(test.log.slice(2)).toEqual([
      'offer to run-1 s1',
      'offer to run-1 s2',
      'delivered s1',
      'stop aborted_by_person',
      'offer to run-1 s3',
      'refused s3',
      'run-1 aborted s2',
      'start s2',
      'offer to run-2 s3',
    ])
  })

  it('[CV12] counts a batch that a limit ended before its delivery as failed, so that it does not run forever', async () => {
    const test = testLane()
    const limit = { reason: 'idle_limit', scope: 'run', figure: 1, cap: 1 } as const
    await test.say('m1')
    for (const wait of [1_100, 5_100, 30_100, 100_000]) {
      await test.end({ outcome: 'stopped', reason: 'idle_limit', limit, detail: 'idle: 1 of 1' })
      await tick(wait)
    }
    expect(test.log.filter((line) => line === 'start m1').length).toBe(4)
    expect(test.log.at(-1)).toBe('gave up (idle: 1 of 1) m1')
  })
})
