import { ApiError } from '@clawboo/api/client'
import { getRouteApi, Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useAgent } from '../../api/agent/agents.ts'
import { type Agent, useFleet } from '../../api/fleet.ts'
import { AgentAvatar, StatePill, useAgentState } from '../../shared/agent/agent-look.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { LoadingPage, MissingPage } from '../../shared/loaded.tsx'
import { Note } from '../../ui/note.tsx'
import { type Action, usePageActions } from '../../ui/page-actions.ts'
import { PageHeader, tabClass } from '../../ui/page-header.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { clockWords } from '../../ui/words/time-words.ts'

const route = getRouteApi('/shell/agents/$agentId')

export function AgentPage() {
  const { agentId } = route.useParams()
  const reading = useAgent(agentId)
  const { agent, error } = reading
  if (agent) return <AgentFrame agent={agent} />
  if (error instanceof ApiError && error.code === 'agent_not_found') return <MissingPage name="Boo" />
  return <LoadingPage title="Boo" name="this Boo" reading={reading} />
}

function AgentFrame({ agent }: { agent: Agent }) {
  const now = useNow()
  const booZeroId = useFleet().data?.booZeroId
  const state = useAgentState(agent)
  const person = agent.participantKind === 'human'
  const tabs = person ? TABS.filter(({ forPeople }) => forPeople) : TABS
  usePageActions(useTabActions(agent, tabs))
  return (
    <>
      <PageHeader
        title={agent.displayName}
        before={<AgentAvatar agent={agent} size={32} />}
        sub={[roleOf(agent), agent.id === booZeroId ? 'Boo Zero' : undefined].filter(Boolean).join(' · ')}
      >
        {person ? <Pill tone="outline">Person</Pill> : <StatePill state={state} />}
      </PageHeader>
      {agent.archivedAt === null ? null : (
        <Note tone="needs">
          {`Its source stopped listing it at ${clockWords(agent.archivedAt, now)}. Its data is kept, and it returns when the source lists it again.`}
        </Note>
      )}
      <nav
        aria-label={`About ${agent.displayName}`}
        className="flex shrink-0 gap-5 overflow-x-auto overflow-y-hidden border-b border-line px-5"
      >
        {tabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ agentId: agent.id }}
            activeOptions={{ exact: to === '/agents/$agentId' }}
            className={tabClass}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  )
}

type AgentTab = (typeof TABS)[number]

const TABS = [
  { to: '/agents/$agentId', label: 'Conversation', icon: 'chat', forPeople: false },
  { to: '/agents/$agentId/files', label: 'Files', icon: 'file', forPeople: true },
  { to: '/agents/$agentId/sessions', label: 'Sessions', icon: 'history', forPeople: false },
  { to: '/agents/$agentId/identity', label: 'Identity', icon: 'fleet', forPeople: true },
  { to: '/agents/$agentId/set-up', label: 'Set-up', icon: 'setup', forPeople: false },
] as const

function useTabActions(agent: Agent, tabs: readonly AgentTab[]): readonly Action[] {
  const navigate = useNavigate()
  return [
    ...tabs.map(({ to, label, icon }) => ({
      id: `open-${label}`,
      title: `Open ${label.toLowerCase()}`,
      place: agent.displayName,
      icon,
      run: () => void navigate({ to, params: { agentId: agent.id } }),
    })),
    {
      id: 'open-runs',
      title: 'Open its runs',
      place: agent.displayName,
      icon: 'runs',
      run: () => void navigate({ to: '/runs', search: { agent: agent.id } }),
    },
  ]
}
