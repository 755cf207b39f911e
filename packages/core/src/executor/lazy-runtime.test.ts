import { expect, onTestFinished, test, vi } from 'vitest'
import { createMemoryRuntimeAdapter, definitionOf } from '../contract/memory-runtime-adapter.ts'
import { NO_CAPABILITIES } from './capabilities.ts'
import { LazyRuntime } from './lazy-runtime.ts'
import type { RuntimeAdapter } from './runtime-adapter.ts'

function countedRuntime(failures = 0) {
  const adapter = createMemoryRuntimeAdapter({ claims: { steering: true, mcp: true } })
  let loads = 0
  const runtime = new LazyRuntime({
    ...definitionOf(adapter),
    async load() {
      loads += 1
      if (loads <= failures) throw new Error('not installed')
      return adapter
    },
  })
  return { runtime, adapter, loads: () => loads }
}

test('[EX108] a runtime is loaded once, at its first use, for all callers', async () => {
  const { runtime, adapter, loads } = countedRuntime()
  expect([runtime.loaded, loads()]).toEqual([null, 0])
  expect(await Promise.all([runtime.load(), runtime.load()])).toEqual([adapter, adapter])
  expect(await runtime.load()).toBe(adapter)
  expect([runtime.loaded, loads()]).toEqual([adapter, 1])
})

test('[EX108] a failed load is retried at the next use', async () => {
  const { runtime, adapter, loads } = countedRuntime(1)
  await expect(Promise.all([runtime.load(), runtime.load()])).rejects.toThrow('not installed')
  expect(runtime.loaded).toBeNull()
  expect(await runtime.load()).toBe(adapter)
  expect(loads()).toBe(2)
})

test('[EX108] a load that throws at once is retried like any other', async () => {
  const adapter = createMemoryRuntimeAdapter()
  let loads = 0
  const load = () => {
    loads += 1
    if (loads === 1) throw new Error('not installed')
    return Promise.resolve(adapter)
  }
  const runtime = new LazyRuntime({ ...definitionOf(adapter), load })
  await expect(runtime.load()).rejects.toThrow('not installed')
  expect(await runtime.load()).toBe(adapter)
})

test('[EX108] a hanging load delays neither forget nor dispose, and its runtime is disposed of once loaded', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const adapter = createMemoryRuntimeAdapter()
  const { promise, resolve } = Promise.withResolvers<RuntimeAdapter>()
  const runtime = new LazyRuntime({ ...definitionOf(adapter), load: () => promise })
  void runtime.load()
  const ended = Promise.all([runtime.forget('ada'), runtime.dispose()])
  await vi.runAllTimersAsync()
  await ended
  resolve(adapter)
  await vi.runAllTimersAsync()
  expect((await adapter.health()).state).toBe('unavailable')
})

test('[EX108] forgetting an agent and disposing load nothing, and a disposed runtime is not loaded again', async () => {
  const { runtime, loads } = countedRuntime()
  await runtime.forget('ada')
  await runtime.dispose()
  await expect(runtime.load()).rejects.toMatchObject({ code: 'server_stopping' })
  expect(loads()).toBe(0)
})

test('[EX109] claims that the last run did not agree to stay missing until a run agrees to them', () => {
  const { runtime } = countedRuntime()
  expect(runtime.missingClaims).toEqual([])
  runtime.noteAgreed({ ...NO_CAPABILITIES, mcp: true })
  expect(runtime.missingClaims).toEqual(['steering'])
  runtime.noteAgreed({ ...NO_CAPABILITIES, mcp: true, steering: true, streaming: true })
  expect(runtime.missingClaims).toEqual([])
})
