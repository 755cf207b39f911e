import type { RunRecord } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import type { ConversationRun } from '../../../api/conversation.ts'
import { figureWords } from '../../../shared/run/run-words.ts'
import { beginnings, runsOfThis, takenWords } from './conversation-parts.ts'

const record = (id: string, more: Partial<RunRecord> = {}): RunRecord => ({
  id,
  agentId: 'a',
  agentName: 'Ada',
  teamId: null,
  runtime: 'x',
  sessionKey: 's',
  trigger: 'message',
  model: null,
  state: 'ended',
  outcome: 'completed',
  reason: null,
  detail: null,
  prompt: '',
  text: '',
  modelCalls: 1,
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0.5,
  costComplete: true,
  contextTokens: null,
  contextWindowTokens: null,
  startedAt: 1,
  endedAt: 2,
  ...more,
})
const run = (id: string, sessionId: string | null = 'one'): ConversationRun => ({
  run: record(id),
  entries: [{ type: 'status', state: 'started', runId: id, sessionId, ts: 1, seq: 0 }],
  partial: false,
})
const behind = (afterRunId: string | null) => ({ at: 5, afterRunId })

test('[PG156] a new conversation starts where the server reports it, at its first run or after the last one', () => {
  const runs = [run('r1'), run('r2'), run('r3')]
  expect(beginnings(runs, null)).toEqual({ with: new Set(), behindAll: false })
  expect(beginnings(runs, behind('r2'))).toEqual({ with: new Set(['r3']), behindAll: false })
  expect(beginnings(runs, behind('r3'))).toEqual({ with: new Set(), behindAll: true })
  expect(beginnings(runs, behind(null))).toEqual({ with: new Set(), behindAll: false })
  expect(beginnings(runs, behind('older than these')).behindAll).toBe(false)
})

test('[PG156] a conversation that the runtime started itself is marked once, even when both sources report it', () => {
  const runs = [run('r1'), run('r2', null), run('r3', 'two'), run('r4', 'two')]
  expect(beginnings(runs, null).with).toEqual(new Set(['r3']))
  expect(beginnings(runs, behind('r2')).with).toEqual(new Set(['r3']))
})

test('[PG153] the total covers only this conversation, and "+" appears only when part of it is missing', () => {
  const runs = [run('r1'), run('r2'), run('r3')]
  const of = (begunAnew: ReturnType<typeof behind> | null, older: boolean) => {
    const own = runsOfThis(runs, begunAnew, older)
    return takenWords(own.runs, own.more)
  }
  expect(of(null, false)).toEqual({ cost: '$1.50', rest: '45 tokens in 3 runs' })
  expect(of(null, true)).toEqual({ cost: '$1.50+', rest: '45 tokens in the last 3 runs' })
  expect(of(behind('r2'), true)).toEqual({ cost: '$0.50', rest: '15 tokens in 1 run' })
  expect(of(behind('r3'), true)).toBeNull()
})

test('[PG153] no cost is shown before the first model call', () => {
  const before = record('r2', { state: 'running', modelCalls: 0, costUsd: null, inputTokens: 0, outputTokens: 0 })
  expect(takenWords([before], false)).toBeNull()
  expect(figureWords({ ...before, state: 'ended' })).toBe('0 model calls · 0 tokens · 0.0 s')
  expect(takenWords([record('r1'), before], false)?.cost).toBe('$0.50')
  expect(takenWords([record('r1', { costUsd: null, costComplete: false })], false)?.cost).toBe('no price')
  expect(takenWords([record('r1'), record('r2', { costUsd: null, costComplete: false })], false)?.cost).toBe('$0.50+')
})
