import { ApiError } from '@clawboo/api/client'
import { getRouteApi, Link, Outlet, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAgent } from '../../api/agents.ts'
import type { Agent } from '../../api/fleet.ts'
import { useFleet } from '../../api/fleet.ts'
import { readProblem } from '../../api/problem-words.ts'
import { AgentAvatar } from '../../ui/agent-avatar.tsx'
import { agentState } from '../../ui/agent-state.ts'
import { roleOf } from '../../ui/agent-words.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../ui/page-states.tsx'
import { Pill, StatePill } from '../../ui/pill.tsx'
import { clockWords } from '../../ui/time-words.ts'
import { useNow } from '../../ui/use-now.ts'

const route = getRouteApi('/shell/agents/$agentId')

/** One Boo: who it is, and its files. */
export function AgentPage() {
  const { agentId } = route.useParams()
  const { agent, error, retry } = useAgent(agentId)
  if (agent) return <AgentFrame agent={agent} />
  if (error instanceof ApiError && error.code === 'agent_not_found') {
    return (
      <>
        <PageHeader title="No such Boo" />
        <EmptyState title="This Boo is not here" seed="lost">
          <p>It may have been deleted, or the address is mistyped.</p>
          <Link to="/" className={buttonClass()}>
            Go to Fleet
          </Link>
        </EmptyState>
      </>
    )
  }
  return (
    <>
      <PageHeader title="Boo" />
      {error ? (
        <ErrorState {...readProblem(error, 'This Boo')} onRetry={retry} />
      ) : (
        <LoadingState what="this Boo" rows={3} />
      )}
    </>
  )
}

function AgentFrame({ agent }: { agent: Agent }) {
  const now = useNow()
  const booZeroId = useFleet().data?.booZeroId
  const navigate = useNavigate()
  const person = agent.participantKind === 'human'
  usePageActions([
    {
      id: 'open-files',
      title: 'Open files',
      place: agent.displayName,
      icon: 'file',
      run: () => void navigate({ to: '/agents/$agentId/files', params: { agentId: agent.id } }),
    },
    {
      id: 'open-identity',
      title: 'Open identity',
      place: agent.displayName,
      icon: 'fleet',
      run: () => void navigate({ to: '/agents/$agentId', params: { agentId: agent.id } }),
    },
  ])
  return (
    <>
      <PageHeader
        title={agent.displayName}
        before={<AgentAvatar agent={agent} size={32} />}
        sub={[roleOf(agent), agent.id === booZeroId ? 'Boo Zero' : undefined].filter(Boolean).join(' · ')}
      >
        {person ? <Pill tone="outline">Person</Pill> : <StatePill state={agentState(agent, now)} />}
      </PageHeader>
      {agent.archivedAt === null ? null : (
        <Note tone="needs">
          {`Its source no longer lists it since ${clockWords(agent.archivedAt, now)}. Everything about it is kept, and it is back as soon as the source lists it again.`}
        </Note>
      )}
      <nav aria-label={`About ${agent.displayName}`} className="flex shrink-0 gap-5 border-b border-line px-5">
        <Tab to="/agents/$agentId" agentId={agent.id} exact>
          Identity
        </Tab>
        <Tab to="/agents/$agentId/files" agentId={agent.id}>
          Files
        </Tab>
      </nav>
      <Outlet />
    </>
  )
}

function Tab(props: {
  readonly to: '/agents/$agentId' | '/agents/$agentId/files'
  readonly agentId: string
  readonly exact?: boolean
  readonly children: ReactNode
}) {
  return (
    <Link
      to={props.to}
      params={{ agentId: props.agentId }}
      activeOptions={{ exact: props.exact ?? false }}
      className="-mb-px border-b-2 border-transparent py-2 text-muted hover:text-text data-[status=active]:border-accent data-[status=active]:font-[560] data-[status=active]:text-text"
    >
      {props.children}
    </Link>
  )
}
