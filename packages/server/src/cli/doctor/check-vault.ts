import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openVault } from '../../access/vault.ts'
import type { Config } from '../../config.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'

/**
 * Decrypts every secret without printing any. Reads the folder first, because opening a vault without a key would
 * create one.
 */
export async function checkVault(config: Config): Promise<Finding[]> {
  const files = await readdir(join(config.home, 'secrets')).catch((error: NodeJS.ErrnoException): string[] | Error =>
    error.code === 'ENOENT' ? [] : error,
  )
  if (files instanceof Error) return [fail('vault', files.message, 'make the secrets folder readable for its owner')]
  if (files.length === 0) return [ok('vault', 'no secrets stored')]
  const hasKey = config.masterKey !== null || files.includes('master.key')
  if (!hasKey)
    return [
      fail('master key', 'missing', 'set CLAWBOO_MASTER_KEY, or copy secrets/master.key back from your own backup'),
    ]
  try {
    const vault = await openVault(config.home, config.masterKey)
    const names = await vault.names()
    const unreadable: string[] = []
    for (const name of names) await vault.read(name).catch(() => unreadable.push(name))
    const key = ok('master key', config.masterKey === null ? 'in the home folder' : 'from CLAWBOO_MASTER_KEY')
    if (unreadable.length === 0) return [key, ok('vault', `${names.length} secrets, all readable`)]
    return [
      key,
      fail(
        'vault',
        `unreadable: ${unreadable.join(', ')}`,
        'set these again, or use the master key that encrypted them',
      ),
    ]
  } catch (error) {
    return [fail('master key', reasonOf(error), 'make secrets/master.key readable for its owner')]
  }
}
