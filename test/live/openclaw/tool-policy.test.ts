import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestIntegration } from '../../../packages/server/src/integrations/openclaw/stand-in/test-integration.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { connectIntegration } from './open-integration.ts'
import { connectRaw } from './raw-client.ts'

// Uses a Gateway with few agents, because with hundreds a settings change can exceed the time limit of a call.
let gateway: GatewayProcess
let opened: TestIntegration
beforeAll(async () => {
  gateway = await startGateway()
  opened = await connectIntegration(gateway)
})
afterAll(async () => {
  await opened?.dispose()
  await gateway?.stop()
})

test('[OC92] a tool that was denied here stays denied after a restart, and another client’s edit is not lost', async () => {
  const { agentSource, line, toolPolicy } = opened
  expect((await toolPolicy.change({ deny: ['web_fetch'], undeny: [] })).deny).toEqual(['web_fetch'])
  const { client } = await connectRaw(gateway)
  const { hash } = await client.request('config.get', {})
  const raw = JSON.stringify({ tools: { deny: ['web_fetch', 'nodes'] } })
  // Holds back the settings that were read until another client has changed them, so that they are outdated.
  line.hold()
  const changing = toolPolicy.change({ deny: ['web_search'], undeny: [] })
  await expect.poll(() => line.held()).toContain('"hash":')
  await client.request('config.patch', { raw, baseHash: hash as string })
  line.release()
  const change = await changing
  expect(change.deny.toSorted()).toEqual(['nodes', 'web_fetch', 'web_search'])
  await client.close()
  await gateway.restart()
  await expect.poll(async () => (await agentSource.health()).state).toBe('connected')
  expect((await toolPolicy.read()).deny.toSorted()).toEqual(['nodes', 'web_fetch', 'web_search'])
  expect((await toolPolicy.change({ deny: [], undeny: ['nodes'] })).deny.toSorted()).toEqual([
    'web_fetch',
    'web_search',
  ])
  expect(JSON.parse(await readFile(gateway.configPath, 'utf8')).tools.deny.toSorted()).toEqual([
    'web_fetch',
    'web_search',
  ])
})
