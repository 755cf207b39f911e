import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { writeWholeFile } from '../write-whole-file.ts'
import { absentAsNull } from './absent-file.ts'

export type Vault = Awaited<ReturnType<typeof openVault>>

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/
const MASTER_KEY_FILE = 'master.key'
const ENDING = '.secret'

/**
 * Stores secrets encrypted, one file each. Only `read` returns a secret. Its callers pass the secret to the one process
 * or request that needs it, never into a response, log, event, prompt, argument list or backup. `masterKey` comes from
 * the environment; without it, a key is created and stored beside the secrets.
 */
export async function openVault(home: string, masterKey: string | null) {
  const folder = join(home, 'secrets')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const secretKey = masterKey ?? (await readOrMakeMasterKey(join(folder, MASTER_KEY_FILE)))
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'clawboo-vault', 'aes-256-gcm', 32))
  const fileOf = (name: string) => {
    if (!NAME.test(name))
      throw new ClawbooError(
        'path_refused',
        'a secret’s name may contain only letters, digits, dots, dashes and underscores',
      )
    return join(folder, `${name}${ENDING}`)
  }

  return {
    async store(name: string, secret: string) {
      const file = fileOf(name)
      await writeWholeFile(file, seal(key, name, secret))
    },
    /**
     * Returns null when there is no such secret. Throws `secret_unreadable` when its file was changed or the master key
     * differs.
     */
    async read(name: string) {
      const file = fileOf(name)
      // A synchronous read: for a few bytes, several times per run, another thread would take longer.
      if (statSync(file, { throwIfNoEntry: false }) === undefined) return null
      return unseal(key, name, readFileSync(file))
    },
    async remove(name: string) {
      const file = fileOf(name)
      const existed = (await readFile(file).catch(absentAsNull)) !== null
      await rm(file, { force: true })
      return existed
    },
    async names() {
      const files = await readdir(folder)
      return files
        .filter((file) => file.endsWith(ENDING))
        .map((file) => file.slice(0, -ENDING.length))
        .sort()
    },
  }
}

/** Layout: 12 bytes nonce, 16 bytes tag, ciphertext. The name is authenticated, so files cannot be swapped. */
function seal(key: Buffer, name: string, secret: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

function unseal(key: Buffer, name: string, sealed: Buffer): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 }).setAAD(
      Buffer.from(name),
    )
    decipher.setAuthTag(sealed.subarray(12, 28))
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new ClawbooError(
      'secret_unreadable',
      `the secret "${name}" cannot be read: its file was changed, or the master key is different`,
      { cause },
    )
  }
}

async function readOrMakeMasterKey(file: string): Promise<string> {
  const existing = await readFile(file, 'utf8').catch(absentAsNull)
  if (existing !== null) {
    await chmod(file, 0o600)
    return existing.trim()
  }
  const made = randomBytes(32).toString('base64url')
  await writeWholeFile(file, `${made}\n`)
  return made
}
