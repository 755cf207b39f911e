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

test('[SE15] a secret is read back, replaced, listed by name and removed', async () => {
  const vault = await openVault(home, null)
  await vault.store('OPENAI_API_KEY', 'first')
  await vault.store('OPENAI_API_KEY', 'second')
  expect(await vault.read('OPENAI_API_KEY')).toBe('second')
  expect(await vault.names()).toEqual(['OPENAI_API_KEY'])
  expect(await vault.remove('OPENAI_API_KEY')).toBe(true)
  expect(await vault.remove('OPENAI_API_KEY')).toBe(false)
  expect(await vault.read('OPENAI_API_KEY')).toBeNull()
})

test('[SE15] a second opening of the same home reads what the first stored, another master key does not', async () => {
  await (await openVault(home, null)).store('key', 'secret')
  expect(await (await openVault(home, null)).read('key')).toBe('secret')
  await expect((await openVault(home, 'another master key')).read('key')).rejects.toMatchObject({
    code: 'secret_unreadable',
  })
})

test('[SE15] a changed, cut or swapped file is refused', async () => {
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

test('[SE15] a name that is a path is refused', async () => {
  const vault = await openVault(home, null)
  for (const name of ['', '../x', 'a/b', '.hidden', 'a\0', 'x'.repeat(101)])
    await expect(vault.store(name, 's')).rejects.toMatchObject({ code: 'path_refused' })
})

test('[SE16] nothing in the vault’s folder holds the secret, and all of it is for the owner alone', async () => {
  const vault = await openVault(home, null)
  await vault.store('canary', 'canary-4f1f0a-plain')
  const folder = join(home, 'secrets')
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const file of await readdir(folder)) {
    expect((await readFile(join(folder, file))).toString('latin1')).not.toContain('canary-4f1f0a-plain')
    expect((await stat(join(folder, file))).mode & 0o777 & ~0o600).toBe(0)
  }
})
