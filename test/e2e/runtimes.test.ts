import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { writeWholeFile } from '../../packages/server/src/write-whole-file.ts'
import { WITH_GATE } from '../api/gate/server-with-gate.ts'
import { type GateUpstream, startUpstream } from '../api/gate/upstream.ts'
import { violations } from './axe-violations.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

const SECRET = 'open-sesame-4711'
const params = { sourceId: 'gate' }
let fixture: PageFixture
let upstream: GateUpstream

beforeAll(async () => {
  fixture = await startPage(WITH_GATE)
  await fixture.server.client.createAgent({ body: { name: 'Ada' } })
})
afterAll(() => fixture.close())
beforeEach(async () => {
  upstream = await startUpstream(SECRET, ['moss', 'fern', 'ivy'])
})
afterEach(async () => {
  await fixture.closePages()
  await fixture.server.client.disconnectSource({ params })
  await rm(settings(), { force: true })
  await upstream.leave()
  fixture.expectCalm()
})

const settings = () => join(fixture.server.home, 'gate.json')
/** Replaces the file in one step, because the page may be reading it. */
const putSettings = (file: string, secret?: string) =>
  writeWholeFile(file, JSON.stringify({ address: upstream.address, secret }))
const foundIs = (secret?: string) => putSettings(settings(), secret)
const connect = () =>
  fixture.server.client.connectSource({ params, body: { address: upstream.address, secret: SECRET } })
const cardOf = (page: Page, label: string) => page.getByRole('listitem', { name: label, exact: true })

/** Also runs axe at the other width and in the other theme. */
async function audited(page: Page): Promise<string[]> {
  const found = await violations(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  found.push(...(await violations(page)))
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

test('[RG60] every runtime shows its state and its number of Boos', async () => {
  const page = await fixture.open('/')
  await page.getByRole('link', { name: 'Runtimes' }).click()
  const gate = cardOf(page, 'Gate')
  await gate.getByText('Agents behind a port of this machine.').waitFor()
  await gate.getByText('Not connected. No Boos yet.').waitFor()
  await gate.getByText('Gate was not found.').waitFor()
  await page.getByRole('list', { name: 'Runtimes' }).getByText('Nothing to connect. 1 Boo.').waitFor()
  expect(await audited(page)).toEqual([])
})

test('[RG61] one button connects a found upstream, and the secret is asked for only when it is needed', async () => {
  await foundIs()
  const page = await fixture.open('/runtimes')
  const gate = cardOf(page, 'Gate')
  await gate.getByText('in ~/gate.json').waitFor()
  await gate.getByText('Running', { exact: true }).waitFor()
  expect(await gate.getByLabel('Gate secret').count()).toBe(0)
  await gate.getByRole('button', { name: `Connect ${upstream.address}` }).click()
  const field = gate.getByLabel('Gate secret')
  await field.waitFor()
  expect(await page.evaluate('[document.activeElement.name, document.activeElement.type]')).toEqual([
    'upstream-secret',
    'password',
  ])
  expect(upstream.seen).toEqual([])
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await gate.getByText('"…" is not the secret.', { exact: true }).waitFor()
  await gate.getByText('Enter the secret from gate.json.').waitFor()
  expect(await field.inputValue()).toBe('wrong')
  expect(await audited(page)).toEqual([])
  await field.fill(SECRET)
  await page.keyboard.press('Enter')
  await gate.getByText(/^Connected since .*, version 4\.7\.11\. 3 Boos, refreshed /).waitFor()
  await gate.getByText('read, send messages and change things and gate.dig').waitFor()
  expect(await field.count()).toBe(0)
  expect(await gate.locator(':focus').count()).toBe(1)
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])')
  expect(kept).not.toContain(SECRET)

  await gate.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('Its 3 Boos stay readable here and are marked as last seen.').waitFor()
  expect(await audited(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await gate.getByText('Not connected. 3 Boos, shown as last seen').waitFor()
  await foundIs(SECRET)
  await gate.getByRole('button', { name: 'Refresh' }).click()
  await gate.getByRole('button', { name: `Connect ${upstream.address}` }).click()
  await gate.getByText(/^Connected since/).waitFor()
  expect(upstream.seen).toEqual(['wrong', SECRET, SECRET])
})

test('[RG61] another address can be typed, stays until it is accepted, and asks for its secret if needed', async () => {
  const page = await fixture.open('/runtimes')
  const gate = cardOf(page, 'Gate')
  await gate.getByLabel('Gate address').fill('gate.example.org:1')
  await gate.getByRole('button', { name: 'Connect this address' }).click()
  await gate.getByText('Couldn\'t connect. "gate.example.org:1" is not on this machine.').waitFor()
  await page.reload()
  expect(await gate.getByLabel('Gate address').inputValue()).toBe('gate.example.org:1')
  await gate.getByLabel('Gate address').fill(upstream.address)
  await page.keyboard.press('Enter')
  await gate.getByText('It requires a secret.', { exact: true }).waitFor()
  expect(await gate.getByLabel('Gate address').inputValue()).toBe('')
  await gate.getByLabel('Gate secret').fill(SECRET)
  await page.keyboard.press('Enter')
  await gate.getByText(/^Connected since/).waitFor()
})

test('[RG62] the page follows a connection that others open, lose, reopen and end', async () => {
  const page = await fixture.open('/runtimes')
  const gate = cardOf(page, 'Gate')
  await gate.getByText('Not connected', { exact: true }).waitFor()
  await connect()
  await gate.getByText('Connected', { exact: true }).waitFor()
  await upstream.leave()
  await gate.getByText('Trying again', { exact: true }).waitFor()
  await gate.getByText(`Nothing responds at ${upstream.address}.`).waitFor()
  await gate.getByText('Start it.').waitFor()
  expect(await gate.getByLabel('Gate secret').count()).toBe(0)
  expect(await audited(page)).toEqual([])
  await upstream.comeBack()
  await gate.getByText('Connected', { exact: true }).waitFor()
  await fixture.server.client.disconnectSource({ params })
  await gate.getByText('Not connected', { exact: true }).waitFor()
})

test('[RG63] Boos deleted upstream are named before they are removed, also at phone width', async () => {
  const context = await fixture.newContext({ width: 390, height: 844 })
  await connect()
  const page = await fixture.open('/runtimes', context)
  const gate = cardOf(page, 'Gate')
  await gate.getByText('3 Boos, refreshed').waitFor()
  upstream.tell(['moss'])
  await gate.getByText('2 Boos no longer exist there: fern, ivy.').waitFor()
  await gate.getByText('1 Boo, refreshed').waitFor()
  await gate.getByRole('button', { name: 'Remove 2 Boos' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove 2 Boos for good?' })
  expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['fern', 'ivy'])
  expect(await audited(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  await dialog.getByRole('button', { name: 'Remove for good' }).click()
  await page.getByText('Removed 2 Boos').waitFor()
  expect(await gate.getByText('no longer exist').count()).toBe(0)
  const { agents } = await fixture.server.client.listAgents({ query: { includeArchived: 'true' } })
  expect(agents.filter(({ sourceId }) => sourceId === 'gate').map(({ displayName }) => displayName)).toEqual(['moss'])
  await context.close()
})

test('[RG64] Boos shown as last seen link to the page that connects their source', async () => {
  await connect()
  await fixture.server.client.disconnectSource({ params })
  const page = await fixture.open('/')
  await page.getByText(/^Gate is not connected\. Last seen .* Its 3 Boos are shown as last seen\.$/).waitFor()
  await page.getByRole('link', { name: 'Reconnect' }).click()
  await page.getByRole('heading', { level: 1, name: 'Runtimes' }).waitFor()
})

test('[RG66] the first screen connects a local upstream with one button, or links to the form for its secret', async () => {
  const fresh = await startPage(WITH_GATE)
  const found = (secret?: string) => putSettings(join(fresh.server.home, 'gate.json'), secret)
  const page = await fresh.open('/')
  const line = page.getByRole('listitem').filter({ hasText: 'Gate' })
  await line.getByText('Not found').waitFor()
  await found()
  await line.getByRole('button', { name: 'Refresh' }).click()
  await line.getByText('Running', { exact: true }).waitFor()
  expect(await audited(page)).toEqual([])
  await line.getByRole('button', { name: 'Connect Gate' }).click()
  await page.getByRole('heading', { level: 1, name: 'Runtimes' }).waitFor()
  expect(upstream.seen).toEqual([])
  await found(SECRET)
  await page.goBack()
  await line.getByRole('button', { name: 'Connect Gate' }).click()
  await page.getByRole('link', { name: /moss/ }).first().waitFor()
  expect(upstream.seen).toEqual([SECRET])
  fresh.expectCalm()
  await fresh.close()
})
