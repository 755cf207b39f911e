import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { readAnew } from './read-anew.ts'

test('[PG292] the result includes a change made during the first request', async () => {
  const queries = new QueryClient()
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let asked = 0
  const queryKey = ['what'] as const
  const leave = new QueryObserver(queries, { queryKey, queryFn: () => answers[asked++]!.promise }).subscribe(() => {})
  expect(asked).toBe(1)
  const renewed = readAnew(queries, queryKey)
  answers[0]!.resolve('before the change')
  answers[1]!.resolve('after it')
  await renewed
  expect(asked).toBe(2)
  expect(queries.getQueryData(queryKey)).toBe('after it')
  leave()
  queries.clear()
})
