import { expect, test } from 'vitest'
import { newMessageId, outboxText, readOutbox } from './outbox.ts'

test('[PG70] what was not answered for is found again with its id, text and way, and says so', () => {
  const item = { id: newMessageId(), text: 'Hello', mode: 'followup', problem: null } as const
  const [found] = readOutbox(outboxText([item]))
  expect(found).toMatchObject({ id: item.id, text: 'Hello', mode: 'followup' })
  expect(found?.problem).toContain('Sending it again is safe')
  expect(outboxText([])).toBeNull()
})

test('[PG70] ids are such as the server takes, and never the same', () => {
  const ids = Array.from({ length: 200 }, newMessageId)
  expect(new Set(ids).size).toBe(200)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{8,64}$/)
})

test('[PG70] storage that holds something else holds no message', () => {
  for (const text of [null, '', 'x', '{}', 'null', '[null, 1, {"id": 2}]']) expect(readOutbox(text)).toEqual([])
  expect(readOutbox('[{"id":"m","text":"t","mode":"shout"}]')).toMatchObject([{ mode: null }])
})
