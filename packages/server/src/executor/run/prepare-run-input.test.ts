import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { resolveRuntimeIntegration } from '@clawboo/core/executor'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeHome, temporaryHome } from '../../../../../test/server-process.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { testEngines } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { type PrepareRunInput, prepareRunInput } from './prepare-run-input.ts'

describe.each(testEngines())('the input of a run on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  let home: string
  let prepare: PrepareRunInput
  beforeAll(async () => {
    home = await temporaryHome()
    const options = { store: records()[0]!.store, runtimesFolder: join(home, 'runtimes') }
    prepare = (agent, runtime) => prepareRunInput(options, agent, runtime)
  })
  afterAll(() => removeHome(home))
  const runtime = (claims: Parameters<typeof resolveRuntimeIntegration>[0]) => ({
    id: 'far',
    plan: resolveRuntimeIntegration(claims),
  })

  it('[EX110] a run gets the newest text of every agent file, and null for a file that was never written', async () => {
    const { store } = records()[0]!
    const agent = await store.agents.insert(newAgent('ada'))
    for (const [expectedRevision, content] of ['old', 'You are kind to moss.'].entries())
      await store.agentFiles.append({
        agentId: 'ada',
        name: 'SOUL.md',
        content,
        author: 'operator',
        expectedRevision,
        at: 1,
      })
    const { files, release } = await prepare(agent, runtime({}))
    expect(files).toMatchObject({ 'SOUL.md': 'You are kind to moss.', 'AGENTS.md': null })
    expect(Object.keys(files)).toHaveLength(7)
    await release()
  })

  it('[EX111] a persistent home is one private folder per agent, and stays after the run', async () => {
    const agent = await records()[0]!.store.agents.insert(newAgent('bob'))
    const prepared = await prepare(agent, runtime({ nativeHome: true }))
    expect(prepared.home).toBe(join(home, 'runtimes', 'far', 'bob'))
    expect(statSync(prepared.home!).mode & 0o777).toBe(0o700)
    await prepared.release()
    expect(existsSync(prepared.home!)).toBe(true)
  })

  it('[EX111] a temporary home is a new folder per run, which is removed with the run', async () => {
    const agent = await records()[0]!.store.agents.insert(newAgent('cleo'))
    const [one, other] = [await prepare(agent, runtime({})), await prepare(agent, runtime({}))]
    expect(one.home).not.toBe(other.home)
    expect(existsSync(one.home!)).toBe(true)
    for (const { release } of [one, other]) await release()
    expect([one.home!, other.home!].map((folder) => existsSync(folder))).toEqual([false, false])
  })

  it('[EX111] a person gets no home, and neither does an agent whose runtime has its own home', async () => {
    const { store } = records()[0]!
    const agent = await store.agents.insert(newAgent('dora'))
    const person = await store.agents.insert(newAgent('robin', { participantKind: 'human' }))
    expect((await prepare(agent, runtime({ runtimeClass: 'connected-substrate' }))).home).toBeNull()
    expect((await prepare(person, runtime({}))).home).toBeNull()
  })
})
