import { expect, test } from 'vitest'
import type { RoomPost } from '../../../live/apply-to-room.ts'
import { EMPTY_FOLD } from '../../../live/fold-run.ts'
import type { RunBlock } from '../../../live/run-block.ts'
import { liveTurn, shownBlocks } from './live-turn.ts'

const text = (key: number, words: string): RunBlock => ({ kind: 'text', key, at: 0, message: key, text: words })
const tool = (key: number, name: string, isError = false): RunBlock => ({
  kind: 'tool',
  key,
  at: 0,
  callId: `${key}`,
  tool: name,
  input: {},
  summary: null,
  waits: false,
  result: { text: '', isError },
  startedAt: 0,
  endedAt: 1,
})
const post = (more: Partial<RoomPost>) =>
  ({ runId: 'r', kind: 'peer', credential: 'mediated', body: '', ...more }) as RoomPost
const speaking = (...blocks: RunBlock[]) => ({ agentId: 'ada', runId: 'r', fold: { ...EMPTY_FOLD, blocks } })

test('[PG238] a turn is shown until its last message, or the server’s line about its end, is in the room', () => {
  const turn = speaking(tool(1, 'write'), text(2, 'Done.'))
  expect(liveTurn(turn, [post({ runId: 'other' })])?.blocks.length).toBe(2)
  expect(liveTurn(turn, [post({ body: 'On it', credential: 'attached' })])?.blocks.length).toBe(2)
  expect(liveTurn(turn, [post({ body: 'Done.' })])).toBeNull()
  expect(liveTurn(turn, [post({ kind: 'system', credential: 'server', body: 'It failed' })])).toBeNull()
})

test('[PG239] a pass is not shown while it streams, and a turn that ends with a pass leaves nothing', () => {
  for (const words of ['N', 'NO_', 'NO_REPLY', ' NO_REPLY\n', 'NOTHING_', 'NOTHING_TO_SAY'])
    expect(shownBlocks([text(1, words)], [])).toEqual([])
  expect(shownBlocks([text(1, 'NO_REPLY is what I would say')], []).length).toBe(1)
  const end = { outcome: 'completed', reason: null, detail: null } as const
  const passed = { ...speaking(text(1, 'NO_REPLY')), fold: { ...EMPTY_FOLD, blocks: [text(1, 'NO_REPLY')], end } }
  expect(liveTurn(passed, [])).toBeNull()
})

test('[PG239] a turn does not repeat the posts it made itself', () => {
  const blocks = [
    { kind: 'prompt', key: 0, at: 0, text: 'all of the room' } as const,
    tool(1, 'mcp__teamchat__team_chat_post'),
    tool(2, 'team_chat_post', true),
    text(3, 'Kit, please. '),
  ]
  expect(shownBlocks(blocks, [{ body: 'Kit, please.' }]).map(({ key }) => key)).toEqual([2])
})
