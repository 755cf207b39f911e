import { expect, test } from 'vitest'
import { violations } from '../../../../../test/e2e/axe-violations.ts'
import { useConnectedPage } from './stand-in/test-connected-page.ts'
import { Refusal } from './stand-in/test-gateway-method.ts'

const { gateway, fixture } = useConnectedPage()

const denied = () => (gateway().config.value as { tools?: { deny?: string[] } }).tools?.deny ?? []

test('[RG67] a person denies a tool to all Boos of a Gateway and allows it again', async () => {
  const page = await fixture().open('/runtimes')
  const card = page.getByRole('listitem', { name: 'OpenClaw', exact: true })
  await card.getByText('Tools: none denied').click()
  await card.getByRole('button', { name: 'Deny', exact: true }).click()
  await card.getByText('Type the name of a tool first.').waitFor()
  await card.getByLabel('Deny a tool').fill('web_fetch')
  await page.keyboard.press('Enter')
  await page.getByText('web_fetch is denied').first().waitFor()
  await card.getByRole('list', { name: 'Denied tools' }).getByText('web_fetch', { exact: true }).waitFor()
  await card.getByText('Tools: 1 denied').waitFor()
  expect(await card.getByLabel('Deny a tool').inputValue()).toBe('')
  expect(denied()).toEqual(['web_fetch'])
  expect(await violations(page)).toEqual([])
  await card.getByRole('button', { name: 'Allow web_fetch again' }).click()
  await card.getByText('Tools: none denied').waitFor()
  expect(denied()).toEqual([])
  fixture().expectCalm()
})

test('[RG67] a refusal by the Gateway is shown, and the typed text stays', async () => {
  const page = await fixture().open('/runtimes')
  const card = page.getByRole('listitem', { name: 'OpenClaw', exact: true })
  await card.getByText('Tools: none denied').click()
  await card.getByLabel('Deny a tool').fill('exec')
  gateway().answers['config.patch'] = () => {
    throw new Refusal('invalid config: tools.deny')
  }
  await page.keyboard.press('Enter')
  await card.getByRole('alert').filter({ hasText: "Couldn't save. " }).waitFor()
  expect(await card.getByLabel('Deny a tool').inputValue()).toBe('exec')
  expect(denied()).toEqual([])
  fixture().expectCalm(/40\d|50\d/)
})
