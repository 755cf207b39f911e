import type { TestContext } from 'vitest'
import type { RunGuard, RuntimeAdapter } from '../../executor/index.ts'
import type { AgentRecord } from '../../registry/index.ts'
import { DrivenRun } from './driven-run.ts'
import type { RuntimeAdapterFixture } from './fixture.ts'
import type { RuntimeScript } from './script.ts'

export interface DriveOptions {
  readonly agent?: AgentRecord
  /** A conversation of its own unless said otherwise. */
  readonly sessionKey?: string
  readonly model?: string
  readonly guard?: RunGuard
  readonly approver?: boolean
  readonly resume?: string | null
  /** Instead of the fixture's. */
  readonly adapter?: RuntimeAdapter
}

/** Starts runs of one fixture the way a host does, and names each of them. */
export class RunDriver {
  readonly fixture: RuntimeAdapterFixture
  readonly #runs: DrivenRun[] = []
  #count = 0

  constructor(fixture: RuntimeAdapterFixture) {
    this.fixture = fixture
  }

  get adapter(): RuntimeAdapter {
    return this.fixture.adapter
  }

  async run(script: RuntimeScript, options: DriveOptions = {}): Promise<DrivenRun> {
    const number = ++this.#count
    const adapter = options.adapter ?? this.adapter
    const agent = options.agent ?? this.fixture.agent
    const prompt = { id: `prompt-${number}`, text: this.fixture.prompt(script) }
    const sessionKey = options.sessionKey ?? this.sessionKey(`talk-${number}`, agent)
    const handle = await adapter.start(
      { agent, sessionKey, prompt },
      {
        runId: `contract-run-${number}`,
        guard: options.guard ?? { mayCallModel: async () => null },
        approver: options.approver ?? true,
        resume: options.resume ?? null,
        ...(options.model === undefined ? {} : { model: options.model }),
      },
    )
    const run = new DrivenRun(adapter, handle, prompt, adapter.events(handle))
    this.#runs.push(run)
    return run
  }

  sessionKey(name: string, agent: AgentRecord = this.fixture.agent): string {
    return `agent:${agent.id}:${name}`
  }

  /** Null when the fixture cannot tell. */
  modelCalls(): number | null {
    return this.fixture.modelCalls?.() ?? null
  }

  /** All that models received since `from`, as one text; null when the fixture cannot tell. */
  seenByModel(from = 0): string | null {
    return this.fixture.seenByModel?.().slice(from).join('\n') ?? null
  }

  /** Where the texts begin that models receive from now on. */
  seenSoFar(): number {
    return this.fixture.seenByModel?.().length ?? 0
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#runs.filter((run) => !run.closed).map((run) => run.abort()))
    await this.adapter.dispose?.()
    await this.fixture.dispose?.()
  }
}

export type WithDriver = (
  work: (driver: RunDriver, context: TestContext) => Promise<void>,
) => (context: TestContext) => Promise<void>

/** Long enough for a call that was wrongly made to be seen; nothing is expected to happen in it. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30))
}
