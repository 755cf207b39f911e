import type { RunRecord, RuntimeEvent } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { foldRun } from '../../live/fold-run.ts'
import { withLiveFigures } from './run-words.ts'

const cost = (seq: number, costUsd: number | null): RuntimeEvent => ({
  runId: 'r',
  sessionId: null,
  ts: 1,
  seq,
  type: 'cost',
  model: 'a/b',
  costUsd,
  contextTokens: seq * 100,
  inputTokens: 10,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 0,
})

test('[PG170] a running run has the figures of its stream, and an ended run those of its record', () => {
  const run = { state: 'running', model: null, modelCalls: 0, costUsd: null, contextTokens: null } as RunRecord
  const live = foldRun([cost(1, 0.5), cost(2, null)])
  expect(withLiveFigures(run, live)).toMatchObject({
    model: 'a/b',
    modelCalls: 2,
    inputTokens: 20,
    outputTokens: 4,
    cacheReadTokens: 6,
    costUsd: 0.5,
    costComplete: false,
    contextTokens: 200,
  })
  const ended = { ...run, state: 'ended' } as RunRecord
  expect(withLiveFigures(ended, live)).toBe(ended)
  expect(withLiveFigures(run, undefined)).toBe(run)
})
