import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentFileTexts, LazyRuntime } from '@clawboo/core/executor'
import { AGENT_FILE_NAMES, type AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../../store/open-store.ts'

/** The input that the host prepares for one run, so that no integration has to read it. */
export interface RunInput {
  readonly files: AgentFileTexts
  /** null when the runtime has its own home, or for a person. */
  readonly home: string | null
  /** Removes a home that was created only for this run. Call it when the run has ended. */
  release(): Promise<void>
}

export type PrepareRunInput = (agent: AgentRecord, runtime: Pick<LazyRuntime, 'id' | 'plan'>) => Promise<RunInput>

/** `runtimesFolder` contains a folder per runtime, and in it a home per agent. */
export async function prepareRunInput(
  { store, runtimesFolder }: { readonly store: Store; readonly runtimesFolder: string },
  agent: AgentRecord,
  runtime: Pick<LazyRuntime, 'id' | 'plan'>,
): Promise<RunInput> {
  const [files, prepared] = await Promise.all([
    readFileTexts(store, agent.id),
    prepareHome(runtimesFolder, agent, runtime),
  ])
  return { files, ...prepared }
}

async function readFileTexts(store: Store, agentId: string): Promise<AgentFileTexts> {
  const written = await store.agentFiles.latestTexts(agentId)
  return Object.fromEntries(AGENT_FILE_NAMES.map((name) => [name, written.get(name) ?? null])) as AgentFileTexts
}

async function prepareHome(
  runtimesFolder: string,
  agent: AgentRecord,
  { id, plan }: Pick<LazyRuntime, 'id' | 'plan'>,
): Promise<Omit<RunInput, 'files'>> {
  // A person needs no folder on this machine.
  if (plan.home === 'connected' || agent.participantKind === 'human') return { home: null, release: async () => {} }
  if (plan.home === 'persistent') {
    const home = join(runtimesFolder, id, agent.id)
    await mkdir(home, { recursive: true, mode: 0o700 })
    return { home, release: async () => {} }
  }
  const home = await mkdtemp(join(tmpdir(), `clawboo-${id}-`))
  return { home, release: () => rm(home, { recursive: true, force: true }) }
}
