import type { IntegrationHost } from '../host.ts'

/** The key of the setting that stores the configured connection. */
export const CONNECTION_SETTING = 'connection'

export async function isWishedFor({ settings }: IntegrationHost): Promise<boolean> {
  return Boolean((await settings.get<{ readonly address?: string }>(CONNECTION_SETTING))?.address)
}
