import { createInOrder } from '@clawboo/core'
import type { IntegrationHost } from '../host.ts'
import type { ModelsSettings } from './models/providers/provider-state.ts'

const SETTING = 'models'
const NOTHING_SET: ModelsSettings = { providers: {}, aliases: {}, defaultModel: null, fallbacks: [] }

/** A person's model settings; everything has a default. Only this object writes them, so they are read once. */
export interface StoredModelsSettings {
  read(): Promise<ModelsSettings>
  change(next: (settings: ModelsSettings) => ModelsSettings): Promise<void>
}

export function createModelsSettings({ settings }: Pick<IntegrationHost, 'settings'>): StoredModelsSettings {
  let known: ModelsSettings | null = null
  const inOrder = createInOrder()
  const read = async (): Promise<ModelsSettings> => {
    known ??= { ...NOTHING_SET, ...(await settings.get<Partial<ModelsSettings>>(SETTING)) }
    return known
  }
  return {
    read,
    change: (next) =>
      inOrder(async () => {
        const changed = next(await read())
        // Forget the cached value first: even a failed write may have reached the disk.
        known = null
        await settings.set(SETTING, changed)
        known = changed
      }),
  }
}
