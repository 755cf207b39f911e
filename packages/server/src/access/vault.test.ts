import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeHome, temporaryHome } from '../../../../test/server-process.ts'
import { openVault } from './vault.ts'

let home: string
beforeEach(async () => {
  home = await temporaryHome()
})
afterEach(() => removeHome(home))

test('[SE15] reads, replaces, lists and removes a secret', async () => {
  const vault = await openVault(home, null)
  await vault.store('OPENAI_API_KEY', 'first')
  await vault.store('OPENAI_API_KEY', 'second')
  expect(await vault.read('OPENAI_API_KEY')).toBe('second')
  expect(await vault.names()).toEqual(['OPENAI_API_KEY'])
  expect(await vault.remove('OPENAI_API_KEY')).toBe(true)
  expect(await vault.remove('OPENAI_API_KEY')).toBe(false)
  expect(await vault.read('OPENAI_API_KEY')).toBeNull()
})

test('[SE15] reads a secret after the vault is opened again, but not with another master key', async () => {
  await (await openVault(home, null)).store('key', 'secret')
  expect(await (await openVault(home, null)).read('key')).toBe('secret')
  await expect((await openVault(home, 'another master key')).read('key')).rejects.toMatchObject({
    code: 'secret_unreadable',
  })
})

test('[SE15] refuses a changed, truncated or swapped file', async () => {
  const vault = await openVault(home, null)
  const fileOf = (name: string) => join(home, 'secrets', `${name}.secret`)
  await vault.store('whole', 'secret')
  const sealed = await readFile(fileOf('whole'))
  const flipped = Buffer.from(sealed)
  flipped[flipped.length - 1]! ^= 1
  for (const [name, bytes] of [
    ['flipped', flipped],
    ['cut', sealed.subarray(0, 20)],
    ['empty', Buffer.alloc(0)],
  ] as const) {
    await writeFile(fileOf(name), bytes)
    await expect(vault.read(name)).rejects.toMatchObject({ code: 'secret_unreadable' })
  }
  await rename(fileOf('whole'), fileOf('other'))
  await expect(vault.read('other')).rejects.toMatchObject({ code: 'secret_unreadable' })
})

test('[SE15] refuses a name that is a path', async () => {
  const vault = await openVault(home, null)
  for (const name of ['', '../x', 'a/b', '.hidden', 'a\0', 'x'.repeat(101)])
    await expect(vault.store(name, 's')).rejects.toMatchObject({ code: 'path_refused' })
})

test('[SE16] no file in the vault’s folder contains the secret, and only the owner can read the files', async () => {
  const vault = await openVault(home, null)
  await vault.store('canary', 'canary-4f1f0a-plain')
  const folder = join(home, 'secrets')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const file of await readdir(folder)) {
    expect((await readFile(join(folder, file))).toString('latin1')).not.toContain('canary-4f1f0a-plain')
    expect((await stat(join(folder, file))).mode & 0o777 & ~0o600).toBe(0)
  }
})
