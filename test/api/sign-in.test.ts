import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@clawboo/api/client'
import { expect, test } from 'vitest'
import { oneServer } from '../one-server.ts'

const running = oneServer()

const codeOf = (link: string) => new URL(link).hash.slice(1)
const signIn = (code: string) =>
  fetch(`${running().url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
const withCookie = (cookie: string) => fetch(`${running().url}/api/agents`, { headers: { cookie } })

test('[SE8] the printed link signs in once and sets a cookie that scripts cannot read', async () => {
  const answer = await signIn(codeOf(running().signInLink))
  expect(answer.status).toBe(204)
  const header = answer.headers.get('set-cookie')!
  expect(header).toMatch(new RegExp(`^clawboo_${running().port}=`))
  for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(header).toContain(part)
  expect((await withCookie(header.split(';')[0]!)).status).toBe(200)
  const again = await signIn(codeOf(running().signInLink))
  expect(again.status).toBe(401)
  expect(await again.json()).toMatchObject({ error: { code: 'sign_in_code_refused' } })
})

test('[SE8] signing out deletes the cookie', async () => {
  const answer = await fetch(`${running().url}/api/sign-out`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running().token}` },
  })
  expect(answer.headers.get('set-cookie')).toContain('Max-Age=0')
})

test('[SE7] after a rotation the old token, every cookie and every open link are invalid', async () => {
  const link = (await running().client.createSignInLink({})).url
  const unused = (await running().client.createSignInLink({})).url
  const cookie = (await signIn(codeOf(link))).headers.get('set-cookie')!.split(';')[0]!
  expect((await withCookie(cookie)).status).toBe(200)
  const answer = await running().client.rotateToken({})
  const rotated = (await readFile(join(running().home, 'token'), 'utf8')).trim()
  expect(rotated).not.toBe(running().token)
  expect(JSON.stringify(answer)).not.toContain(rotated)
  await expect(running().client.listAgents({})).rejects.toMatchObject({ status: 401, code: 'credential_refused' })
  expect((await withCookie(cookie)).status).toBe(401)
  expect((await signIn(codeOf(unused))).status).toBe(401)
  expect((await createClient({ baseUrl: running().url, token: rotated }).listAgents({})).agents).toEqual([])
})

test('[SE9] guessing codes is stopped after a few attempts', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 15; n++) statuses.push((await signIn(`guess-${n}`)).status)
  expect(statuses.at(-1)).toBe(429)
  expect(statuses).not.toContain(204)
})
