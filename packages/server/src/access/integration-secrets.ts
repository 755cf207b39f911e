import { openVault, type Vault } from './vault.ts'

/** The secrets of one integration, under the integration's own names. */
export interface IntegrationSecrets {
  read(name: string): Promise<string | null>
  store(name: string, secret: string): Promise<void>
  remove(name: string): Promise<void>
}

/** Opens the vault on first use, so that a server without secrets creates no master key. */
export function secretsByIntegration(
  home: string,
  masterKey: string | null,
): (integrationId: string) => IntegrationSecrets {
  let opened: Promise<Vault> | null = null
  const vault = () => {
    opened ??= openVault(home, masterKey)
    opened.catch(() => {
      opened = null
    })
    return opened
  }
  return (integrationId) => {
    // Two integrations may each store a secret called `key`.
    const full = (name: string) => `${integrationId}.${name}`
    return {
      read: async (name) => (await vault()).read(full(name)),
      store: async (name, secret) => (await vault()).store(full(name), secret),
      remove: async (name) => void (await (await vault()).remove(full(name))),
    }
  }
}
