import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openVault } from '../../access/vault.ts'
import type { Config } from '../../config.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'

/** Opens every secret and tells nobody what is in it. Makes nothing: opening a vault that has no key would make one. */
export async function checkVault(config: Config): Promise<Finding[]> {
  const files = await readdir(join(config.home, 'secrets')).catch((error: NodeJS.ErrnoException): string[] | Error =>
    error.code === 'ENOENT' ? [] : error,
  )
  if (files instanceof Error) return [fail('vault', files.message, 'give the folder secrets back to its owner')]
  if (files.length === 0) return [ok('vault', 'no secrets kept')]
  const hasKey = config.masterKey !== null || files.includes('master.key')
  if (!hasKey)
    return [
      fail('master key', 'missing', 'set CLAWBOO_MASTER_KEY, or bring secrets/master.key back from where it is kept'),
    ]
  try {
    const vault = await openVault(config.home, config.masterKey)
    const names = await vault.names()
    const unreadable: string[] = []
    for (const name of names) await vault.read(name).catch(() => unreadable.push(name))
    const key = ok('master key', config.masterKey === null ? 'in the home' : 'from CLAWBOO_MASTER_KEY')
    if (unreadable.length === 0) return [key, ok('vault', `${names.length} secrets, all readable`)]
    return [
      key,
      fail(
        'vault',
        `cannot be read: ${unreadable.join(', ')}`,
        'set these again, or use the master key they were made with',
      ),
    ]
  } catch (error) {
    return [fail('master key', reasonOf(error), 'give secrets/master.key back to its owner')]
  }
}
