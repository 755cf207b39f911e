import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import {
  type AgentFileTexts,
  type Capabilities,
  type HostTools,
  type RunGuard,
  type RuntimeAdapter,
  resolveRuntimeIntegration,
} from '../../executor/index.ts'
import { AGENT_FILE_NAMES, type AgentRecord } from '../../registry/index.ts'
import { DrivenRun } from './driven-run.ts'
import type { RuntimeAdapterFixture } from './fixture.ts'
import type { RuntimeScript } from './script.ts'

export interface DriveOptions {
  readonly agent?: AgentRecord
  /** Default: a new conversation. */
  readonly sessionKey?: string
  readonly model?: string
  readonly guard?: RunGuard
  readonly resume?: string | null
  readonly folder?: string
  readonly hostTools?: HostTools
  /** Default: the fixture's adapter. */
  readonly adapter?: RuntimeAdapter
}

/** Starts runs of one fixture as a host would, and gives each of them an id. */
export class RunDriver {
  readonly fixture: RuntimeAdapterFixture
  readonly #runs: DrivenRun[] = []
  /** Keeps conversations and prompt ids of different rules apart, because a runtime may be shared between rules. */
  readonly #mark = Math.random().toString(36).slice(2, 8)
  #count = 0
  #home: Promise<string> | null = null

  constructor(fixture: RuntimeAdapterFixture) {
    this.fixture = fixture
  }

  get adapter(): RuntimeAdapter {
    return this.fixture.adapter
  }

  /** The descriptor's claims. */
  get claims(): Capabilities {
    return this.fixture.claims
  }

  /** The capabilities agreed for the fixture's agent. */
  get agreed(): Capabilities {
    return this.fixture.agreed ?? this.claims
  }

  get files(): AgentFileTexts {
    const texts = Object.fromEntries(AGENT_FILE_NAMES.map((name) => [name, null])) as AgentFileTexts
    return { ...texts, 'SOUL.md': this.fixture.soulLine ?? null }
  }

  /** One home for all runs of a rule; null when the runtime has its own. */
  async home(): Promise<string | null> {
    if (resolveRuntimeIntegration(this.claims).home === 'connected') return null
    this.#home ??= mkdtemp(join(tmpdir(), 'clawboo-contract-home-'))
    return this.#home
  }

  async run(script: RuntimeScript, options: DriveOptions = {}): Promise<DrivenRun> {
    const number = ++this.#count
    const adapter = options.adapter ?? this.adapter
    const agent = options.agent ?? this.fixture.agent
    const prompt = { id: `prompt-${this.#mark}-${number}`, text: this.fixture.prompt(script) }
    const sessionKey = options.sessionKey ?? this.sessionKey(`talk-${number}`, agent)
    const handle = await adapter.start(
      { agent, files: this.files, sessionKey, prompt },
      {
        runId: `contract-run-${number}`,
        guard: options.guard ?? { mayCallModel: async () => null },
        resume: options.resume ?? null,
        ...(options.model === undefined ? {} : { model: options.model }),
        home: await this.home(),
        folder: options.folder ?? null,
        ...(options.hostTools === undefined ? {} : { hostTools: options.hostTools }),
      },
    )
    const run = new DrivenRun(adapter, handle, prompt, adapter.events(handle), this.fixture.patienceMs)
    this.#runs.push(run)
    return run
  }

  sessionKey(name: string, agent: AgentRecord = this.fixture.agent): string {
    return `agent:${agent.id}:${name}-${this.#mark}`
  }

  /** null when the fixture does not count model calls. */
  modelCalls(): number | null {
    return this.fixture.modelCalls?.() ?? null
  }

  /** All texts that models received since `from`, joined; null when the fixture does not record them. */
  seenByModel(from = 0): string | null {
    return this.fixture.seenByModel?.().slice(from).join('\n') ?? null
  }

  /** The current number of recorded texts, to pass to `seenByModel`. */
  seenSoFar(): number {
    return this.fixture.seenByModel?.().length ?? 0
  }

  /** Waits until the model is called and silent, which may be later than the event. */
  async silent(run: DrivenRun): Promise<void> {
    await run.started()
    while (this.fixture.modelCalls && this.fixture.modelCalls() < 1) await settle()
    await settle()
  }

  /**
   * Waits until a held tool is really running, which may be later than its event. An earlier abort would miss the
   * tool.
   */
  async inTool(run: DrivenRun): Promise<void> {
    await run.first('tool-call')
    await settle()
  }

  /** Has a time limit: a runtime that hangs here would replace the test's own failure with a time-out. */
  async close(): Promise<void> {
    const letGo = async () => {
      await Promise.allSettled(this.#runs.filter((run) => !run.closed).map((run) => run.abort()))
      await this.adapter.dispose?.()
    }
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, LETTING_GO_MS)
    await Promise.race([letGo(), patience.promise]).finally(() => clearTimeout(timer))
    await this.fixture.dispose?.()
    if (this.#home) await rm(await this.#home, { recursive: true, force: true })
  }
}

const LETTING_GO_MS = 10_000

export type WithDriver = (
  work: (driver: RunDriver, context: TestContext) => Promise<void>,
) => (context: TestContext) => Promise<void>

/** Waits long enough for a wrong call to show up, or for a wait to begin. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30))
}
