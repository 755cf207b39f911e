import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { RuntimeAdapterFixture } from '@clawboo/core/contract'
import type { ScriptedModel } from '@clawboo/scripted-model/http'
import { expect } from 'vitest'
import { OPENCLAW_CLAIMS } from '../../../packages/server/src/integrations/openclaw/descriptor.ts'
import { contractPrompt } from '../../../packages/server/src/integrations/openclaw/stand-in/test-scripted-prompt.ts'
import { connectIntegration, type GatewayAddress } from './open-integration.ts'
import { connectRaw } from './raw-client.ts'

/** A Gateway with access to its model's requests. */
export interface SeenGateway extends GatewayAddress {
  readonly url: string
  readonly model: ScriptedModel
  kill(): Promise<void>
  restart(): Promise<void>
}

const SOUL_LINE = 'You are kind to moss.'

/** The real Gateway as a contract fixture: two agents whose commands need approval. */
export async function openRuntimeFixture(gateway: SeenGateway): Promise<RuntimeAdapterFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-held-'))
  const programs = await makePrograms(folder)
  const opened = [await connectIntegration(gateway)]
  const { agentSource, runtime } = opened[0]!
  await agentSource.sync()
  const find = async (name: string) => {
    const known = (await agentSource.listAgents()).find(({ displayName }) => displayName === name)
    const { id } = known ?? (await agentSource.createAgent({ name, files: { 'SOUL.md': SOUL_LINE } }))
    return agentSource.updateAgent(id, { execConfig: { permissionMode: 'guarded' } })
  }
  const [agent, otherAgent] = [await find('Ada'), await find('Bob')]
  await allow(gateway, [agent.sourceAgentId, otherAgent.sourceAgentId], programs.hold)
  // A call of an earlier rule may arrive late, so only calls with this fixture's mark count.
  const mark = basename(folder)
  const calls = () =>
    gateway.model.requests
      .filter(({ method, body }) => method === 'POST' && JSON.stringify(body).includes(mark))
      .map(({ body }) => body)
  let isDead = false
  return {
    adapter: runtime,
    claims: OPENCLAW_CLAIMS,
    agent,
    otherAgent,
    prompt: (script) => contractPrompt(script, programs, `Please play this (${mark}).`),
    releaseTools: () => writeFile(join(folder, 'released'), ''),
    priceKnown: true,
    // The first run of a Gateway loads its agent code, which takes more than 20 seconds on a busy machine.
    patienceMs: 300_000,
    randomTimings: 10,
    otherModel: 'scripted/other',
    soulLine: SOUL_LINE,
    modelCalls: () => calls().length,
    seenByModel: () => calls().flatMap((body) => textsIn((body as { messages: unknown }).messages)),
    async crash() {
      isDead = true
      await gateway.kill()
    },
    async reopen() {
      if (isDead) await gateway.restart()
      isDead = false
      const again = await connectIntegration(gateway, opened[0])
      opened.push(again)
      return again.runtime
    },
    async dispose() {
      if (isDead) await gateway.restart()
      for (const one of opened.reverse()) await one.dispose()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function makePrograms(folder: string) {
  const program = async (name: string, body: string) => {
    const file = join(folder, name)
    await writeFile(file, `#!/bin/sh\n${body}\n`)
    await chmod(file, 0o755)
    return file
  }
  return {
    hold: await program('hold', `while [ ! -e '${folder}/released' ]; do sleep 0.05; done`),
    act: await program('act', 'echo done'),
  }
}

async function allow(gateway: SeenGateway, agentIds: readonly string[], pattern: string): Promise<void> {
  const { client } = await connectRaw(gateway)
  const added = Object.fromEntries(agentIds.map((id) => [id, { allowlist: [{ pattern }] }]))
  // A run of an earlier rule may still be ending and change the file in between.
  const isSet = async () => {
    const { file, hash } = await client.request('exec.approvals.get', {})
    const { agents, ...rest } = file as { agents?: object }
    return client
      .request('exec.approvals.set', { file: { ...rest, agents: { ...agents, ...added } }, baseHash: hash })
      .then(() => true)
      .catch((error: Error) => error.message)
  }
  await expect.poll(isSet).toBe(true)
  await client.close()
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
