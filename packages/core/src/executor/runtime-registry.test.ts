import { expect, test } from 'vitest'
import { createMemoryRuntimeAdapter } from '../contract/memory-runtime-adapter.ts'
import { RuntimeRegistry } from './runtime-registry.ts'

function registryOf(...ids: string[]) {
  const registry = new RuntimeRegistry()
  const adapters = ids.map((id) => createMemoryRuntimeAdapter({ id }))
  for (const adapter of adapters) registry.register(adapter)
  return { registry, adapters }
}

test('[EX58] the registry holds runtimes by id, in the order of the list', () => {
  const { registry, adapters } = registryOf('first', 'second')
  expect(registry.list()).toEqual(adapters)
  expect(registry.find('second')).toBe(adapters[1])
  expect(registry.get('first')).toBe(adapters[0])
  expect(registry.find('third')).toBeNull()
})

test('[EX58] a runtime that is not there is an error with a code and its name', () => {
  const { registry } = registryOf('first')
  expect(() => registry.get('third')).toThrow(
    expect.objectContaining({ code: 'runtime_not_found', details: { runtime: 'third' } }),
  )
})

test('[EX58] a second runtime of the same id is a mistake, not a replacement', () => {
  const { registry, adapters } = registryOf('one')
  expect(() => registry.register(createMemoryRuntimeAdapter({ id: 'one' }))).toThrow(TypeError)
  expect(registry.list()).toEqual(adapters)
})

test('[EX59] a runtime that fails to let go, at once or later, does not keep the others', async () => {
  const registry = new RuntimeRegistry()
  const fine = createMemoryRuntimeAdapter({ id: 'fine' })
  const throws = () => {
    throw new Error('stuck')
  }
  registry.register({ ...createMemoryRuntimeAdapter({ id: 'throws' }), dispose: throws })
  registry.register({ ...createMemoryRuntimeAdapter({ id: 'rejects' }), dispose: async () => throws() })
  registry.register({ ...createMemoryRuntimeAdapter({ id: 'holds nothing' }), dispose: undefined })
  registry.register(fine)
  await registry.dispose()
  expect((await fine.health()).state).toBe('unavailable')
})
