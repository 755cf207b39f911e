import { expect, test } from 'vitest'
import { catalogueOf, createMemoryRuntimeAdapter, definitionOf } from '../contract/memory-runtime-adapter.ts'
import type { RuntimeCatalogue, RuntimeDefinition } from './runtime-definition.ts'
import { RuntimeRegistry } from './runtime-registry.ts'

const definition = (id: string) => definitionOf(createMemoryRuntimeAdapter({ id }))

function registryOf(...ids: string[]) {
  const registry = new RuntimeRegistry()
  registry.follow(catalogueOf(...ids.map((id) => createMemoryRuntimeAdapter({ id }))))
  return registry
}

/** A catalogue that a test changes. */
function changingCatalogue(...first: RuntimeDefinition[]) {
  let definitions: readonly RuntimeDefinition[] = first
  let changed = () => {}
  const catalogue: RuntimeCatalogue = {
    list: () => definitions,
    onChange(listener) {
      changed = listener
      return () => {
        changed = () => {}
      }
    },
  }
  const change = (...next: RuntimeDefinition[]) => {
    definitions = next
    changed()
  }
  return { catalogue, change }
}

const idsOf = (registry: RuntimeRegistry) => registry.list().map(({ id }) => id)

test('[EX58] the registry lists runtimes by id, in the order of the catalogues', () => {
  const registry = registryOf('first', 'second')
  expect(idsOf(registry)).toEqual(['first', 'second'])
  expect(registry.find('second')).toBe(registry.list()[1])
  expect(registry.get('first')).toBe(registry.list()[0])
  expect(registry.find('third')).toBeNull()
})

test('[EX58] an unlisted runtime is an error with a code and the runtime’s name', () => {
  const registry = registryOf('first')
  expect(() => registry.get('third')).toThrow(
    expect.objectContaining({ code: 'runtime_not_found', details: expect.objectContaining({ runtime: 'third' }) }),
  )
})

test('[EX58] a second runtime with the same id throws, and nothing changes', () => {
  const registry = registryOf('one')
  expect(() => registry.follow(catalogueOf(createMemoryRuntimeAdapter({ id: 'one' })))).toThrow(TypeError)
  expect(idsOf(registry)).toEqual(['one'])
})

test('[EX107] a catalogue change adds and removes its own runtimes and leaves the others unchanged', async () => {
  const { catalogue, change } = changingCatalogue(definition('ada'))
  const registry = registryOf('native')
  registry.follow(catalogue)
  const [native, ada] = registry.list()
  const [bob, newAda] = [definition('bob'), definition('ada')]
  change(ada!.definition, bob)
  expect(registry.list().slice(0, 2)).toEqual([native, ada])
  expect(idsOf(registry)).toEqual(['native', 'ada', 'bob'])
  change(newAda)
  expect(idsOf(registry)).toEqual(['native', 'ada'])
  expect(registry.get('ada')).not.toBe(ada)
})

test('[EX107] a runtime that leaves its catalogue is disposed of if it was loaded', async () => {
  const adapter = createMemoryRuntimeAdapter({ id: 'ada' })
  const { catalogue, change } = changingCatalogue(definitionOf(adapter))
  const registry = new RuntimeRegistry()
  registry.follow(catalogue)
  await registry.get('ada').load()
  change()
  await expect.poll(async () => (await adapter.health()).state).toBe('unavailable')
})

test('[EX107] disposing the registry waits for a removed runtime that is still being disposed of', async () => {
  const adapter = createMemoryRuntimeAdapter({ id: 'ada' })
  let isGone = false
  const dispose = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    isGone = true
  }
  const { catalogue, change } = changingCatalogue(definitionOf({ ...adapter, dispose }))
  const registry = new RuntimeRegistry()
  registry.follow(catalogue)
  await registry.get('ada').load()
  change()
  await registry.dispose()
  expect(isGone).toBe(true)
})

test('[EX107] a catalogue change that duplicates an id is refused, and the listed runtimes stay', () => {
  const { catalogue, change } = changingCatalogue()
  const registry = registryOf('native')
  registry.follow(catalogue)
  expect(() => change(definition('native'))).toThrow(TypeError)
  expect(idsOf(registry)).toEqual(['native'])
})

test('[EX59] a runtime that fails to stop, at once or later, does not prevent the others from stopping', async () => {
  const registry = new RuntimeRegistry()
  const fine = createMemoryRuntimeAdapter({ id: 'fine' })
  const throws = () => {
    throw new Error('stuck')
  }
  registry.follow(
    catalogueOf(
      { ...createMemoryRuntimeAdapter({ id: 'throws' }), dispose: throws },
      { ...createMemoryRuntimeAdapter({ id: 'rejects' }), dispose: async () => throws() },
      { ...createMemoryRuntimeAdapter({ id: 'without' }), dispose: undefined },
      fine,
    ),
  )
  for (const runtime of registry.list()) await runtime.load()
  await registry.dispose()
  expect((await fine.health()).state).toBe('unavailable')
})
