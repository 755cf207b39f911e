import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuntimeScript, RuntimeScriptStep } from '@clawboo/core/contract'
import type { AgentRecord, AgentSource, CreateAgentInput } from '@clawboo/core/registry'
import { type ScriptStep, scriptPrompt } from '@clawboo/scripted-model'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import type { Confinement } from '../../processes/confinement/confinement.ts'
import { listProcesses } from '../../processes/test-processes.ts'
import type { HostProcesses } from '../host.ts'
import type { NativeConfig } from './agent-config.ts'
import type { ProviderSettings } from './models/providers/provider-list.ts'
import { openTestHost, type TestHost, type TestHostOptions, type TestRoles } from './test-host.ts'

export { NO_FILES } from '../../executor/run/test-run-inputs.ts'

/** The provider that plays scripts over HTTP. It accepts any model name. */
export const SCRIPTED = 'scripted'

/** A second provider on the same server, with its own cooldown. */
export const SPARE = 'spare'

export interface TestRuntime extends TestHost, TestRoles {
  readonly model: ScriptedModel
  /** The requests that models received, oldest first. */
  calls(): readonly WireRequest[]
  /** `hold` runs until `release`; `act` ends at once. */
  readonly programs: { readonly hold: string; readonly act: string }
  release(): Promise<void>
  /** The processes held so far, oldest first. */
  heldPids(): Promise<readonly number[]>
  makeAgent(execConfig?: NativeConfig, more?: Partial<CreateAgentInput>): Promise<AgentRecord>
}

/** A request as the model server received it. Anthropic sends the system prompt separately. */
export interface WireRequest {
  readonly model: string
  readonly system?: unknown
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly unknown[]
}

export interface TestRuntimeOptions extends TestHostOptions {
  readonly models?: ProviderSettings['models']
}

/** The native runtime on a real host, with a model server that plays the scripts in its prompts. */
export async function openTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const model = await startScriptedModel({ models: ['boo', 'other'], keepRequests: 100_000 })
  const test = await openTestHost(options)
  const baseUrl = `${model.url}/v1`
  const models = options.models ?? [{ id: 'boo' }, { id: 'other' }]
  await test.host.settings.set('models', {
    providers: {
      [SCRIPTED]: { label: 'Scripted', baseUrl, hasKey: false, models },
      [SPARE]: { label: 'Spare', baseUrl, hasKey: false, models },
      anthropic: { baseUrl },
    },
    defaultModel: `${SCRIPTED}/boo`,
  })
  const programs = join(test.userHome, 'programs')
  const released = join(test.userHome, 'released')
  await mkdir(programs, { recursive: true })
  const [hold, act] = [
    await program(programs, 'hold', `while [ ! -e '${released}' ]; do sleep 0.02; done`),
    await program(programs, 'act', 'echo done'),
  ]
  // The programs are beside the agent's folders, where a confined command does not see them.
  const { processes } = test.host
  Object.assign(test.host, { processes: { ...processes, confinement: () => reaching(processes, test.userHome) } })
  const roles = await test.open()
  return {
    ...test,
    ...roles,
    model,
    calls: () => model.requests.filter(({ method }) => method === 'POST').map(({ body }) => body as WireRequest),
    programs: { hold, act },
    release: () => writeFile(released, ''),
    heldPids: listHeld(hold),
    makeAgent: (execConfig = {}, more = {}) => makeAgent(roles.agentSource, hold, execConfig, more),
    async dispose() {
      await roles.runtime.dispose!()
      await model.close()
      await test.dispose()
    },
  }
}

async function reaching({ confinement }: HostProcesses, folder: string): Promise<Confinement> {
  const found = await confinement()
  if (!found.isOn) return found
  return {
    isOn: true,
    confine: (reach) => found.confine({ ...reach, readable: [...reach.readable, { path: folder }] }),
  }
}

/** Lists the processes that run a script, and those that were listed before. Their own ids are not those of the machine. */
function listHeld(script: string): () => Promise<readonly number[]> {
  const found = new Set<number>()
  return async () => {
    for (const line of await listProcesses('pid=,args=')) {
      const [pid, shell, file] = line.trim().split(/\s+/)
      if (shell === '/bin/sh' && file === script) found.add(Number(pid))
    }
    return [...found].sort((one, other) => one - other)
  }
}

async function program(folder: string, name: string, body: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\n${body}\n`)
  await chmod(file, 0o755)
  return file
}

function makeAgent(source: AgentSource, hold: string, execConfig: NativeConfig, more: Partial<CreateAgentInput>) {
  const exec = { ask: 'on-miss' as const, allowlist: [{ pattern: hold }], ...execConfig.exec }
  return source.createAgent({ name: 'Ada', ...more, execConfig: { ...execConfig, exec } })
}

/** Returns a prompt that makes the model play a contract script: each tool ends a model call. */
export function playing({ programs }: Pick<TestRuntime, 'programs'>, script: RuntimeScript): string {
  const turns: ScriptStep[][] = [[]]
  for (const step of script) {
    const played = playedAs(step, programs)
    turns.at(-1)!.push(played)
    if ('callTool' in played) turns.push([])
  }
  return scriptPrompt(turns.filter((turn) => turn.length > 0))
}

function playedAs(step: RuntimeScriptStep, { hold, act }: TestRuntime['programs']): ScriptStep {
  if ('hang' in step) return { stall: true }
  if ('failFatally' in step) return { fail: { status: 400, message: step.failFatally } }
  if ('askApproval' in step) return exec(`${act} ${step.askApproval}`)
  if ('writeFile' in step) return { callTool: 'write', with: { path: step.writeFile, content: step.content } }
  if ('callHostTool' in step) return { callTool: step.callHostTool, with: step.with }
  if (!('callTool' in step)) return step
  return step.callTool === 'held' ? exec(hold) : { callTool: 'write', with: { path: 'note.txt', content: 'a note' } }
}

const exec = (command: string): ScriptStep => ({ callTool: 'exec', with: { command } })

/** All texts in a request. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
