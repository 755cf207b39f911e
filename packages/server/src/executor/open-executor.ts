import type { ModelProvidersDefinition, RuntimeRegistry } from '@clawboo/core/executor'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import type { Attention } from './attention/attention.ts'
import { createConversations } from './conversations/conversations.ts'
import { createLimits } from './limits/limits.ts'
import { prepareRunInput } from './run/prepare-run-input.ts'
import { openRunService } from './run/run-service.ts'
import { createRunStreams } from './run/run-streams.ts'
import type { RunTools } from './run/run-tools.ts'
import { createRuns } from './run/runs.ts'
import { endOrphans, settleDeadRuns } from './run/settle-dead-runs.ts'
import { createProviderSettings } from './runtimes/provider-settings.ts'
import { createWorkspaces } from './runtimes/workspaces.ts'

export type Executor = ReturnType<typeof openExecutor>

/** Runs agents: the run service, and the conversations that are its first trigger. */
export function openExecutor(options: {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly instance: string
  readonly runtimes: RuntimeRegistry
  readonly modelProviders: ModelProvidersDefinition | null
  /** Contains a folder per runtime, and in it a home per agent. */
  readonly runtimesFolder: string
  readonly attention: Attention
  readonly tools: RunTools
}) {
  const { store, record, log, instance, runtimes } = options
  const limits = createLimits(store, record)
  const streams = createRunStreams()
  const runs = openRunService({
    ...options,
    limits,
    streams,
    prepareInput: (agent, runtime) => prepareRunInput(options, agent, runtime),
  })
  const conversations = createConversations({ ...options, runs, streams })
  return {
    limits,
    streams,
    runs,
    conversations,
    /** All stored runs, for readers. */
    history: createRuns(store, streams.entriesOf),
    workspaces: createWorkspaces(store, runtimes),
    providers: createProviderSettings(options.modelProviders, record, log),
    /**
     * Settles the runs and messages of an earlier process. Call it before the first request, so that no new message
     * overtakes an old one.
     */
    async start() {
      await endOrphans({ store, runtimes, log }, await settleDeadRuns(record, instance))
      await conversations.recover()
    },
    /** Ends every run. */
    async close() {
      await conversations.close()
      runs.close()
      await runtimes.dispose()
      streams.close()
      limits.close()
    },
  }
}
