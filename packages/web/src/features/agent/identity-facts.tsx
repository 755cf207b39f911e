import type { ReactNode } from 'react'
import { type Agent, useFleet, useRuntimes } from '../../api/fleet.ts'
import { AgentAvatar } from '../../shared/agent/agent-avatar.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/page-header.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ago, exactTime } from '../../ui/words/time-words.ts'

/** The identity of a Boo, read-only. */
export function IdentityFacts({ agent, onEdit }: { agent: Agent; onEdit: () => void }) {
  const now = useNow()
  const runtime = useRuntimes().data?.find(({ id }) => id === agent.runtime)
  const source = useFleet().data?.sources.find(({ sourceId }) => sourceId === agent.sourceId)
  return (
    <div className="flex flex-col gap-4 wide:flex-row wide:items-start wide:gap-6">
      <AgentAvatar agent={agent} size={88} />
      <div className="min-w-0 flex-1">
        <dl className="flex flex-col">
          <Fact term="Name">{agent.displayName}</Fact>
          <Fact term="Role">{roleOf(agent) ?? <Nothing>none yet</Nothing>}</Fact>
          <Fact term="Emoji">{agent.emoji ?? <Nothing>none</Nothing>}</Fact>
          <Fact term="Kind">{agent.participantKind === 'human' ? 'Person' : 'Boo'}</Fact>
          <Fact term="Runtime">{runtime?.label ?? agent.runtime}</Fact>
          <Fact term="Source">{source?.label ?? agent.sourceId}</Fact>
          <Fact term="Made">
            <time dateTime={new Date(agent.createdAt).toISOString()} title={exactTime(agent.createdAt)}>
              {ago(agent.createdAt, now)}
            </time>
          </Fact>
        </dl>
        <details className="mt-3 text-sm text-muted">
          <summary className="w-fit rounded-s">Details</summary>
          <dl className="mt-2 flex flex-col gap-1.5">
            <Detail term="Id">{agent.id}</Detail>
            <Detail term="Id at its source">{agent.sourceAgentId}</Detail>
            <Detail term="Session key">{agent.sessionKey ?? 'none'}</Detail>
          </dl>
        </details>
      </div>
      <Button icon="pencil" onClick={onEdit} className="self-start">
        Edit
      </Button>
    </div>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid min-h-8 grid-cols-[96px_minmax(0,1fr)] items-center">
      <dt className="text-sm text-muted">{term}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  )
}

function Detail({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd className="break-all">
        <Code>{children}</Code>
      </dd>
    </div>
  )
}

function Nothing({ children }: { children: ReactNode }) {
  return <span className="text-muted">{children}</span>
}
