import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ModelProvider, ModelProviders } from '@clawboo/core/executor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeHome, temporaryHome } from '../../../../../test/server-process.ts'
import { actAs } from '../../access/actor.ts'
import { type IntegrationSecrets, secretsByIntegration } from '../../access/integration-secrets.ts'
import { writeBackup } from '../../backup/write-backup.ts'
import { testEngines } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { createProviderSettings } from './provider-settings.ts'

const CANARY = 'sk-canary-4f1c9e7d2b'
const row: ModelProvider = {
  id: 'acme',
  label: 'Acme',
  kind: 'compatible',
  builtIn: true,
  scripted: false,
  needsKey: true,
  keyStored: false,
  baseUrl: null,
  keyPage: null,
  state: 'needs-key',
  detail: null,
  models: [],
}

/** Stores one key as an integration does, and refuses every key with a message that repeats it. */
function refusingProviders(secrets: IntegrationSecrets): ModelProviders & { change(): void } {
  const listeners = new Set<() => void>()
  const check = async () => ({ result: 'refused' as const, detail: `the key ${(await secrets.read('acme')) ?? ''}` })
  return {
    list: async () => [{ ...row, keyStored: (await secrets.read('acme')) !== null }],
    check,
    async storeKey(_, key, storeAnyway) {
      if (storeAnyway) await secrets.store('acme', key)
      return { stored: storeAnyway, check: { result: 'refused', detail: `wrong key: ${key}` } }
    },
    removeKey: () => secrets.remove('acme'),
    save: async (id, { label, baseUrl }) => ({ ...row, id, label, baseUrl }),
    remove: async () => {},
    defaults: async () => ({ defaultModel: null, fallbackModels: [], aliases: {} }),
    setDefaults: async ({ defaultModel = null }) => ({ defaultModel, fallbackModels: [], aliases: {} }),
    findLocal: async () => [],
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    change() {
      for (const listener of listeners) listener()
    },
  }
}

const defined = (providers: ModelProviders) => ({ demoModel: 'demo/boo', load: async () => providers })

describe.each(testEngines())('model providers on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  let home: string
  beforeAll(async () => {
    home = await temporaryHome()
  })
  afterAll(() => removeHome(home))

  it('[RU40] a stored key is in no response, event, log, audit entry, backup or plain file', async () => {
    const { store, record, log, lines } = records()[0]!
    const secrets = secretsByIntegration(home, null)('acme-integration')
    const settings = createProviderSettings(defined(refusingProviders(secrets)), record, log)
    const answers = await actAs({ name: 'operator' }, async () => [
      await settings.storeKey('acme', CANARY, false),
      await settings.storeKey('acme', CANARY, true),
      await settings.list(),
    ])
    expect(answers).toMatchObject([{ stored: false }, { stored: true }, [{ keyStored: true }]])
    expect(await secrets.read('acme')).toBe(CANARY)
    const file = join(home, 'test.backup.gz')
    await writeBackup({ db: store.db, home, file })
    const files = await readdir(home, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      files.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')),
    )
    const places = {
      answers: JSON.stringify(answers),
      events: JSON.stringify(await store.events.after(0, 1000)),
      audit: JSON.stringify(await records()[0]!.audit()),
      log: lines.join(''),
      backup: gunzipSync(await readFile(file)).toString(),
      files: texts.join('\n'),
    }
    for (const [place, text] of Object.entries(places)) {
      expect({ place, found: text.includes(CANARY), empty: text === '' && place !== 'log' }).toEqual({
        place,
        found: false,
        empty: false,
      })
    }
  })

  it('[RU41] every change of a provider is published, and audited under its name', async () => {
    const { record, log, events, audit } = records()[0]!
    const before = [(await events('providers-changed')).length, (await audit()).length] as const
    const providers = refusingProviders(secretsByIntegration(home, null)('acme-integration'))
    const settings = createProviderSettings(defined(providers), record, log)
    await actAs({ name: 'operator' }, async () => {
      await settings.removeKey('acme')
      await settings.save('mine', { label: 'Mine', baseUrl: 'http://127.0.0.1:1/v1' })
      await settings.setDefaults({ defaultModel: 'acme/one' })
      await settings.remove('mine')
    })
    const written = (await audit()).slice(before[1])
    expect(written.map(({ actor, action, subject }) => `${actor} ${action} ${subject}`)).toEqual([
      'operator provider.remove-key acme',
      'operator provider.save mine',
      'operator models.set-defaults models',
      'operator provider.remove mine',
    ])
    providers.change()
    await expect.poll(async () => (await events('providers-changed')).length).toBe(before[0] + 5)
    expect((await audit()).length).toBe(before[1] + 4)
  })

  it('[RU42] without any provider there is nothing to list and nothing to change', async () => {
    const settings = createProviderSettings(null, records()[0]!.record, records()[0]!.log)
    expect(await settings.list()).toEqual([])
    expect(await settings.findLocal()).toEqual([])
    expect(await settings.defaults()).toEqual({ defaultModel: null, fallbackModels: [], aliases: {} })
    expect(settings.demoModel).toBeNull()
    await expect(settings.check('acme')).rejects.toMatchObject({ code: 'provider_not_found' })
    await expect(settings.storeKey('acme', CANARY, true)).rejects.toMatchObject({ code: 'provider_not_found' })
    await expect(settings.setDefaults({ defaultModel: 'x' })).rejects.toMatchObject({ code: 'model_unknown' })
  })
})
