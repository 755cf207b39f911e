import { memo, useCallback, useMemo } from 'react'
import type { ConversationRun } from '../../../api/conversation.ts'
import { type Agent, useRuntime } from '../../../api/fleet.ts'
import { useRun } from '../../../api/runs.ts'
import { EMPTY_FOLD, foldRun, type RunFold } from '../../../live/fold-run.ts'
import { seedOf } from '../../../shared/agent/agent-words.ts'
import { RunActivity } from '../../../shared/run/run-activity.tsx'
import { RunView } from '../../../shared/run/run-view.tsx'
import { BooAvatar } from '../../../ui/boo/boo-avatar.tsx'
import { fileLink } from '../workspace/workspace-path.ts'

/** One run of the conversation: from the live stream, or from the record. */
export const ConversationRunView = memo(function ConversationRunView(props: {
  readonly agent: Agent
  readonly detail: ConversationRun
  /** The run's state from the stream, if this page followed the run. */
  readonly live: RunFold | undefined
}) {
  const { agent, detail, live } = props
  const fold = useRunFold(detail, live)
  const { run } = detail
  const linkToFile = useCallback((path: string) => fileLink(agent.id, path), [agent.id])
  const hasFolder = useRuntime(agent.runtime)?.hasWorkspace
  return (
    <RunView
      run={run}
      fold={fold}
      name={agent.displayName}
      face={<BooAvatar seed={seedOf(agent)} size={28} eyes={run.state === 'running' ? 'working' : 'idle'} />}
      fileLink={hasFolder ? linkToFile : undefined}
      activity={<RunActivity fold={fold} startedAt={run.startedAt} />}
    />
  )
})

/** The feed reports that a run has ended, but not its contents. A run that was not followed is fetched when it ends. */
function useRunFold({ run, entries, partial }: ConversationRun, live: RunFold | undefined): RunFold {
  const followed = live !== undefined && (live.end !== null || run.state === 'running')
  const unseen = partial && run.state === 'ended' && !followed
  const read = useRun(run.id, unseen).data
  const recorded = unseen && read?.run.state === 'ended' ? read.entries : entries
  const kept = useMemo(() => (followed || recorded.length === 0 ? EMPTY_FOLD : foldRun(recorded)), [followed, recorded])
  if (followed) return live
  return kept === EMPTY_FOLD && live ? live : kept
}
