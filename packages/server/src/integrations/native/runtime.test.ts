import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeRuntimeAdapterContract, type RuntimeAdapterFixture } from '@clawboo/core/contract'
import { nativeIntegration } from './integration.ts'
import { openTestRuntime, playing, SCRIPTED, textsIn } from './test-runtime.ts'

const SOUL_LINE = 'You are kind to moss.'

async function openFixture(): Promise<RuntimeAdapterFixture> {
  const test = await openTestRuntime()
  const agent = await test.makeAgent({ model: `${SCRIPTED}/boo` }, { files: { 'SOUL.md': SOUL_LINE } })
  return {
    adapter: test.runtime,
    claims: nativeIntegration.open(test.host).runtimes!.list()[0]!.descriptor.claims,
    agent,
    otherAgent: await test.makeAgent({ model: `${SCRIPTED}/boo` }, { name: 'Bob' }),
    prompt: (script) => playing(test, script),
    releaseTools: test.release,
    priceKnown: true,
    otherModel: `${SCRIPTED}/other`,
    soulLine: SOUL_LINE,
    modelCalls: () => test.calls().length,
    seenByModel: () => test.calls().flatMap(({ system, messages }) => textsIn([system, messages])),
    ownFile: (name) => readFile(join(test.homeFolder, agent.id, 'workspace', name), 'utf8').catch(() => null),
    reopen: async () => (await test.open()).runtime,
    dispose: test.dispose,
  }
}

describeRuntimeAdapterContract('native', openFixture)
