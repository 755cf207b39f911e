import { expect, test } from 'vitest'
import { effectOfTool } from './tool-effect.ts'

const effect = (name: string, description = '') => effectOfTool({ name, description })

test('[TG1] the verb in the name decides, wherever it stands', () => {
  expect(effect('get_invoice')).toBe('reads')
  expect(effect('listSentMessages')).toBe('reads')
  expect(effect('basket_add_item')).toBe('changes')
  expect(effect('basket_remove_item')).toBe('destroys')
  expect(effect('reply-to-thread')).toBe('sends')
  expect(effect('purchase_ticket')).toBe('pays')
  expect(effect('message_list')).toBe('reads')
  expect(effect('get_and_delete')).toBe('destroys')
})

test('[TG1] a message or a change that is about money pays', () => {
  expect(effect('send_money')).toBe('pays')
  expect(effect('update_scheduled_payment')).toBe('pays')
  expect(effect('get_payment')).toBe('reads')
})

test('[TG1] a name without a verb leaves it to the first word of the description', () => {
  expect(effect('basket_sum', 'Calculates the sum of the basket.')).toBe('reads')
  expect(effect('basket_flush', 'Deletes everything in the basket.')).toBe('destroys')
})

test('[TG1] a name that reads does not cover a description that acts', () => {
  expect(effect('get_rid_of', 'Removes a document.')).toBe('destroys')
})

test('[TG1] a tool that says nothing changes something, and so does a tool that nobody offered', () => {
  expect(effect('frobnicate')).toBe('changes')
  expect(effect('')).toBe('changes')
  expect(effectOfTool({ name: 'read_document', isUnknown: true })).toBe('changes')
})

test('[TG15] a tool that reads an address opens it', () => {
  const parameters = { properties: { url: { type: 'string' } } }
  expect(effectOfTool({ name: 'get_page', parameters })).toBe('opens')
  expect(effectOfTool({ name: 'get_page', parameters: { properties: { source: { format: 'uri' } } } })).toBe('opens')
})
