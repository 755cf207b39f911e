import { getRouteApi, Link } from '@tanstack/react-router'
import { type Session, useAgent, useSessions } from '../../api/agent/agents.ts'
import type { Agent } from '../../api/fleet.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { readProblem } from '../../shared/problem-words.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago, clockWords, counted, exactTime } from '../../ui/words/time-words.ts'

const route = getRouteApi('/shell/agents/$agentId')

export function SessionsTab() {
  const { agentId } = route.useParams()
  const { agent } = useAgent(agentId)
  const sessions = useSessions(agentId)
  const { error, refetch, isFetching } = sessions
  if (!agent) return null
  const problem = error ? readProblem(error, 'its sessions') : null
  return (
    <Loaded reading={sessions} name="its sessions" rows={3}>
      {(data) => (
        <div className="min-h-0 flex-1 overflow-y-auto">
          {problem ? <Note tone="needs">{`Showing the last known list. ${problem.detail}`}</Note> : null}
          {data.length === 0 ? (
            <NoSession agent={agent} />
          ) : (
            <div className="max-w-[860px] px-5 py-3">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <p className="text-sm text-muted">{`${counted(data.length, 'session')}, newest first`}</p>
                <Button
                  kind="quiet"
                  className="-mr-3 ml-auto"
                  aria-disabled={isFetching}
                  onClick={() => void refetch()}
                >
                  {isFetching ? 'Refreshing' : 'Refresh'}
                </Button>
              </div>
              <ul aria-label="Sessions" className="mt-1 flex flex-col">
                {data.map((session) => (
                  <SessionLine key={session.id} agent={agent} session={session} />
                ))}
              </ul>
            </div>
          )}
        </div>
      )}
    </Loaded>
  )
}

function SessionLine({ agent, session }: { agent: Agent; session: Session }) {
  const now = useNow()
  const title = session.title ?? 'Unnamed session'
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 border-t border-line py-2">
      <span className="min-w-0 flex-1 basis-40 font-[550] break-words">
        {isConversation(agent, session) ? (
          <Link to="/agents/$agentId" params={{ agentId: agent.id }} className="rounded-s underline">
            {title}
          </Link>
        ) : (
          title
        )}
      </span>
      {session.status === 'active' ? <Pill tone="working">Working</Pill> : null}
      {session.status === 'closed' ? <Pill>Closed</Pill> : null}
      <span className="text-sm text-muted tabular-nums" title={exactTime(session.updatedAt)}>
        {ago(session.updatedAt, now)}
      </span>
      <span className="flex w-full min-w-0 gap-3 text-sm text-muted">
        <span className="min-w-0 flex-1 truncate">{session.preview}</span>
        <span className="shrink-0 tabular-nums" title={exactTime(session.createdAt)}>
          {`Started ${clockWords(session.createdAt, now)}`}
        </span>
      </span>
    </li>
  )
}

/** Whether this is the session of the conversation page. */
function isConversation(agent: Agent, { sourceSessionId }: Session): boolean {
  return sourceSessionId === (agent.sessionKey ?? `agent:${agent.id}:main`)
}

function NoSession({ agent }: { agent: Agent }) {
  return (
    <EmptyState title="No sessions yet" seed={agent.avatarSeed ?? agent.id}>
      <p>{`${agent.displayName} has no messages and no tasks yet.`}</p>
      <Link to="/agents/$agentId" params={{ agentId: agent.id }} className={buttonClass()}>
        {`Message ${agent.displayName}`}
      </Link>
    </EmptyState>
  )
}
