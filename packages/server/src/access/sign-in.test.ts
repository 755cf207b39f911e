import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeHome, temporaryHome } from '../../../../test/server-process.ts'
import { createAttemptLimit } from './attempt-limit.ts'
import { openOperatorToken } from './operator-token.ts'
import { createSignIn } from './sign-in.ts'

let home: string
beforeEach(async () => {
  home = await temporaryHome()
})
afterEach(() => removeHome(home))

test('[SE14] a token survives a restart, and loose permissions on its file are tightened', async () => {
  await openOperatorToken(home)
  const text = (await readFile(join(home, 'token'), 'utf8')).trim()
  await chmod(join(home, 'token'), 0o644)
  const again = await openOperatorToken(home)
  expect(again.matches(text)).toBe(true)
  expect(again.matches('')).toBe(false)
  expect((await stat(join(home, 'token'))).mode & 0o777).toBe(0o600)
})

test('[SE14] refuses a token file with other content instead of replacing it', async () => {
  await writeFile(join(home, 'token'), 'hunter2')
  await expect(openOperatorToken(home)).rejects.toMatchObject({ code: 'credential_refused' })
  expect(await readFile(join(home, 'token'), 'utf8')).toBe('hunter2')
})

test('[SE8] a code expires after half an hour and a cookie after thirty days', async () => {
  let now = 1_800_000_000_000
  const signIn = createSignIn(await openOperatorToken(home), () => now)
  const late = signIn.createCode()
  now = late.expiresAt + 1
  expect(signIn.redeem(late.code)).toBeNull()
  const { cookie } = signIn.redeem(signIn.createCode().code)!
  now += 30 * 24 * 3_600_000 - 1
  expect(signIn.verifyCookie(cookie)).toBe(true)
  now += 2
  expect(signIn.verifyCookie(cookie)).toBe(false)
})

test('[SE8] refuses a cookie that was changed anywhere', async () => {
  const signIn = createSignIn(await openOperatorToken(home))
  const { cookie } = signIn.redeem(signIn.createCode().code)!
  expect(signIn.verifyCookie(cookie)).toBe(true)
  for (let at = 0; at < cookie.length; at++) {
    const touched = cookie.slice(0, at) + (cookie[at] === '1' ? '2' : '1') + cookie.slice(at + 1)
    // The last base64url character has unused bits, so changing it may give the same signature.
    if (at < cookie.length - 1) expect(signIn.verifyCookie(touched)).toBe(false)
  }
  for (const value of ['', '..', `${cookie}.`, cookie.slice(0, -1), `9${cookie}`])
    expect(signIn.verifyCookie(value)).toBe(false)
})

test('[SE8] keeps only the newest codes valid', async () => {
  const signIn = createSignIn(await openOperatorToken(home))
  const codes = Array.from({ length: 25 }, () => signIn.createCode().code)
  expect(signIn.redeem(codes[0]!)).toBeNull()
  expect(signIn.redeem(codes[24]!)).not.toBeNull()
})

test('[SE9] attempts are replenished over time, per key', () => {
  let now = 0
  const limit = createAttemptLimit({ burst: 2, refillMs: 1000, now: () => now })
  expect([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([true, true, false, true])
  now = 1000
  expect([limit.take('a'), limit.take('a')]).toEqual([true, false])
})

test('[SE26] after concurrent rotations, the last token is in the file and in force', async () => {
  const token = await openOperatorToken(home)
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 6 }, () => token.rotate()))
    expect(token.matches((await readFile(join(home, 'token'), 'utf8')).trim())).toBe(true)
  }
  expect(await readdir(home)).toEqual(['token'])
})
