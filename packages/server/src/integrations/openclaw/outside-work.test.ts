import type { AgentEvent } from '@clawboo/core/registry'
import { expect, onTestFinished, test } from 'vitest'
import { openGateway } from './gateway/test-connection.ts'
import { connectTestIntegration } from './stand-in/test-integration.ts'

async function openStarted() {
  const gateway = await openGateway()
  const opened = await connectTestIntegration(gateway, { isStarted: true })
  onTestFinished(() => opened.dispose())
  const seen: string[] = []
  const read = async (events: AsyncIterable<AgentEvent>) => {
    for await (const event of events) if (event.type === 'agent-status') seen.push(event.status)
  }
  void read(opened.agentSource.events())
  await expect.poll(async () => (await opened.agentSource.listAgents()).length).toBe(1)
  const say = (phase: string, runId: string) =>
    gateway.say('agent', { runId, stream: 'lifecycle', sessionKey: 'agent:main:telegram:7', data: { phase } })
  return { ...opened, seen, say }
}

test('[OC99] work that an agent does on its own is reported when the first run begins and when the last one ends', async () => {
  const { seen, say } = await openStarted()
  say('start', 'one')
  say('start', 'two')
  say('end', 'one')
  await expect.poll(() => seen).toEqual(['running'])
  say('end', 'two')
  await expect.poll(() => seen).toEqual(['running', 'idle'])
  say('end', 'never-begun')
  say('start', 'three')
  say('error', 'three')
  await expect.poll(() => seen).toEqual(['running', 'idle', 'running', 'error'])
})

test('[OC99] an agent no longer counts as working when the connection to its Gateway is lost', async () => {
  const { seen, say, line } = await openStarted()
  say('start', 'one')
  await expect.poll(() => seen).toEqual(['running'])
  line.cut()
  await expect.poll(() => seen).toEqual(['running', 'idle'])
})
