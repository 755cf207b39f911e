import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { HostToolAnswer, HostToolCall, HostTools } from '../../executor/index.ts'
import { type RunDriver, settle, type WithDriver } from './run-driver.ts'

/** Tests both directions: a runtime with the claim uses the run's folder and tools; any other runtime ignores them. */
export function describeLent(withDriver: WithDriver): void {
  describeFolders(withDriver)
  describeHostTools(withDriver)
  describeHostToolTrouble(withDriver)
}

const WRITES = [{ writeFile: 'found.txt', content: 'moss on a stone' }, { say: 'written' }] as const

function describeFolders(withDriver: WithDriver): void {
  it(
    '[EX98] a run writes into its folder instead of the agent’s workspace exactly when worktrees are claimed',
    withDriver(async (driver, context) => {
      const { ownFile } = driver.fixture
      if (!ownFile) return context.skip('an agent without a workspace')
      const claimed = driver.agreed.worktrees
      await withFolder(async (folder) => {
        await expectWritten(driver, folder)
        const [given, own] = [await fileIn(folder), await ownFile('found.txt')]
        expect([given, own]).toEqual(claimed ? ['moss on a stone', null] : [null, 'moss on a stone'])
      })
    }),
  )

  it(
    '[EX98] the next run without a folder uses the agent’s own workspace',
    withDriver(async (driver, context) => {
      const { ownFile } = driver.fixture
      if (!ownFile) return context.skip('an agent without a workspace')
      await withFolder(async (folder) => {
        await (await driver.run([{ say: 'here' }], { folder })).done()
        await expectWritten(driver)
        expect([await fileIn(folder), await ownFile('found.txt')]).toEqual([null, 'moss on a stone'])
      })
    }),
  )

  it(
    '[EX99] a missing folder, or a file in its place, is refused before the run starts, and no model is called',
    withDriver(async (driver) => {
      const claimed = driver.agreed.worktrees
      await withFolder(async (parent) => {
        await writeFile(join(parent, 'file'), '')
        for (const folder of [join(parent, 'missing'), join(parent, 'file')]) {
          const start = driver.run([{ say: 'here' }], { folder })
          if (claimed) await expect(start).rejects.toThrow(folder)
          else expect(await (await start).done()).toMatchObject({ outcome: 'completed' })
        }
        if (claimed) expect(driver.modelCalls() ?? 0).toBe(0)
      })
    }),
  )
}

async function expectWritten(driver: RunDriver, folder?: string): Promise<void> {
  const run = await driver.run(WRITES, folder === undefined ? {} : { folder })
  expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('written') })
  expect(await run.first('tool-result')).toMatchObject({ isError: false })
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clawboo-contract-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function fileIn(folder: string): Promise<string | null> {
  return readFile(join(folder, 'found.txt'), 'utf8').catch(() => null)
}

const GIVEN = { title: 'Water the ferns', times: 3, when: { day: 'Monday', hours: [9, 17] }, note: 'ü "quoted" \\ 🌿' }
const ASKS = [{ callHostTool: 'contract_tool', with: GIVEN }, { say: 'went on' }] as const

function describeHostTools(withDriver: WithDriver): void {
  it(
    '[EX100] a host tool receives the exact arguments, and its answer reaches the model',
    withDriver(async (driver) => {
      const host = lendTools(async () => ({ text: 'the ferns say thanks', isError: false }))
      const run = await driver.run(ASKS, { hostTools: host.tools })
      expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('went on') })
      const result = await run.first('tool-result')
      if (!driver.agreed.mcp) {
        expect([host.calls, host.credentials()]).toEqual([[], 0])
        return expect(result.isError).toBe(true)
      }
      expect(host.calls.map(({ name, args }) => ({ name, args }))).toEqual([{ name: 'contract_tool', args: GIVEN }])
      expect(await run.first('tool-call')).toMatchObject({ callId: result.callId })
      expect(result).toMatchObject({ isError: false, text: expect.stringContaining('the ferns say thanks') })
      if (driver.fixture.seenByModel) expect(driver.seenByModel()).toContain('the ferns say thanks')
    }),
  )

  it(
    '[EX100] a run has its own host tools and none from an earlier run',
    withDriver(async (driver) => {
      const host = lendTools(async () => ({ text: 'the ferns say thanks', isError: false }))
      const sessionKey = driver.sessionKey('lent-once')
      await (await driver.run([{ say: 'here' }], { hostTools: host.tools, sessionKey })).done()
      const second = await driver.run(ASKS, { sessionKey })
      expect(await second.done()).toMatchObject({ outcome: 'completed' })
      expect(await second.first('tool-result')).toMatchObject({ isError: true })
      expect(host.calls).toEqual([])
    }),
  )
}

function describeHostToolTrouble(withDriver: WithDriver): void {
  it(
    '[EX101] a failing host tool gives the model an error with the host’s message, and the run continues',
    withDriver(async (driver) => {
      const text = await expectToldAsError(driver, { text: 'the can is empty', isError: true })
      if (driver.agreed.mcp) expect(text).toContain('the can is empty')
    }),
  )

  it(
    '[EX101] a host tool that no longer exists gives an error, and the run continues',
    withDriver(async (driver) => void (await expectToldAsError(driver, null))),
  )

  it(
    '[EX102] an abort during a host tool ends the run as aborted and signals the call',
    withDriver(async (driver) => {
      // This host never answers, and the abort must not wait for it.
      const host = lendTools(() => new Promise(() => {}))
      const run = await driver.run(ASKS, { hostTools: host.tools })
      if (!driver.agreed.mcp) return void (await run.done())
      while (host.calls.length === 0 && !run.closed) await settle()
      expect(host.calls[0]!.signal.aborted).toBe(false)
      await run.abort()
      expect(await run.done()).toMatchObject({ outcome: 'aborted' })
      expect(host.calls.map(({ signal }) => signal.aborted)).toEqual([true])
    }),
  )
}

async function expectToldAsError(driver: RunDriver, answer: HostToolAnswer | null): Promise<string> {
  const host = lendTools(async () => answer)
  const run = await driver.run(ASKS, { hostTools: host.tools })
  expect(await run.done()).toMatchObject({ outcome: 'completed', text: expect.stringContaining('went on') })
  const result = await run.first('tool-result')
  expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/\S/) })
  expect(host.calls).toHaveLength(driver.agreed.mcp ? 1 : 0)
  return result.text
}

/** Host tools that record their calls. */
function lendTools(answer: () => Promise<HostToolAnswer | null>) {
  const calls: HostToolCall[] = []
  let credentials = 0
  const inputSchema = { type: 'object', properties: { title: { type: 'string' } }, additionalProperties: true }
  const tools: HostTools = {
    tools: [{ name: 'contract_tool', description: 'Waters plants.', inputSchema, isReadOnly: false }],
    call(call) {
      calls.push(call)
      return answer()
    },
    servers: [],
    async credential() {
      credentials += 1
      return 'a credential'
    },
  }
  return { tools, calls, credentials: () => credentials }
}
