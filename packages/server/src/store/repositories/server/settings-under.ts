import type { SettingsRepository } from './settings-repository.ts'

/** The settings under a prefix. Keys are given without the prefix. */
export interface SettingsUnder {
  get<T>(key: string): Promise<T | undefined>
  set(key: string, value: unknown): Promise<void>
  remove(key: string): Promise<void>
  removePrefix(prefix: string): Promise<void>
}

export function settingsUnder(prefix: string, settings: SettingsRepository): SettingsUnder {
  return {
    get: (key) => settings.get(prefix + key),
    set: (key, value) => settings.set(prefix + key, value),
    remove: async (key) => void (await settings.remove(prefix + key)),
    removePrefix: async (more) => void (await settings.removePrefix(prefix + more)),
  }
}
