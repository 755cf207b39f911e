import { RUN_REASONS } from '@clawboo/core/executor'
import { expect, test } from 'vitest'
import { EMPTY_FOLD } from '../../live/fold-run.ts'
import {
  costWords,
  durationWords,
  endDetail,
  endOfRun,
  noticeWords,
  REASON_WORDS,
  runStateWords,
  tokenWords,
} from './run-words.ts'
import { toolWords, writtenFile } from './tool-line.tsx'

test('[PG64] every reason has a sentence, followed by its figures', () => {
  for (const reason of RUN_REASONS) expect(REASON_WORDS[reason]).toMatch(/^[A-Z].*\.$/)
  expect(endDetail({ reason: 'usd_limit', detail: 'usd of this run: 5.01 of 5' })).toBe(
    'It reached its dollar limit. Usd of this run: 5.01 of 5.',
  )
  expect(endDetail({ reason: null, detail: null })).toBe('')
})

test('[PG64] the record shows how a run ended, and the stream does until the record arrives', () => {
  const streamed = { ...EMPTY_FOLD, end: { outcome: 'aborted', reason: null, detail: null } as const }
  const running = { state: 'running', outcome: null, reason: null, detail: null } as const
  const ended = { state: 'ended', outcome: 'stopped', reason: 'time_limit', detail: null } as const
  expect(endOfRun(running, EMPTY_FOLD)).toBeNull()
  expect(endOfRun(running, streamed)?.outcome).toBe('aborted')
  expect(endOfRun(ended, streamed)).toMatchObject({ outcome: 'stopped', reason: 'time_limit' })
  expect(runStateWords(ended).word).toBe('Stopped')
})

test('[PG64] money, tokens and time are short, and an unknown figure is never shown as a number', () => {
  expect([null, 0, 0.00001, 0.0042, 0.15, 12].map((usd) => costWords(usd))).toEqual([
    'no price',
    '$0.00',
    '< $0.0001',
    '$0.0042',
    '$0.15',
    '$12.00',
  ])
  expect(costWords(0.5, false)).toBe('$0.50+')
  expect([12, 1_000, 12_400, 999_900, 4_000_000].map(tokenWords)).toEqual(['12', '1k', '12.4k', '1M', '4M'])
  expect([800, 12_400, 245_000, 4_800_000].map(durationWords)).toEqual(['0.8 s', '12 s', '4 min 05 s', '1 h 20 min'])
})

test('[PG64] a tool call is one line: its summary, or the tool and its input', () => {
  const line = (input: unknown, summary: string | null = null) => toolWords({ tool: 'exec', summary, input })
  expect(line({ command: 'npm\n  test', cwd: '/w' })).toBe('exec npm test')
  expect(line({}, 'Runs the tests')).toBe('Runs the tests')
  expect(line({})).toBe('exec')
  expect(line({ count: 2 })).toBe('exec {"count":2}')
  expect(line({ command: 'x'.repeat(500) }).length).toBeLessThan(130)
})

test('[PG124] a completed write shows its file by the path within the workspace', () => {
  const done = { text: 'ok', isError: false }
  const of = (path: unknown, tool = 'write', result: { text: string; isError: boolean } | null = done) =>
    writtenFile({ tool, input: { path }, result })
  expect([of('a.md'), of('./b/a.md', 'edit'), of('b/../a.md'), of('b//a.md/')]).toEqual([
    'a.md',
    'b/a.md',
    'a.md',
    'b/a.md',
  ])
  for (const path of ['', '.', '..', '../a.md', 'b/../../a.md', '/etc/passwd', 7, undefined])
    expect(of(path)).toBeNull()
  expect([of('a.md', 'read'), of('a.md', 'write', null), of('a.md', 'write', { ...done, isError: true })]).toEqual([
    null,
    null,
    null,
  ])
  for (const input of [null, undefined, 'a.md', ['a.md']])
    expect(writtenFile({ tool: 'write', input, result: done })).toBeNull()
})

test('[PG158] a notice shows each part once', () => {
  const retrying = (detail: string | null) => noticeWords({ state: 'retrying', detail })
  expect(retrying('The provider is busy. Trying again.')).toBe('Trying again: The provider is busy.')
  expect(retrying('Trying again.')).toBe('Trying again')
  expect(retrying(null)).toBe('Trying again')
  expect(noticeWords({ state: 'notice', detail: 'Trying again.' })).toBe('Trying again.')
})
