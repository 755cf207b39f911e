import { useState } from 'react'
import type { Agent } from '../../../api/fleet.ts'
import { AgentAvatar } from '../../../shared/agent/agent-look.tsx'
import { RunActivity } from '../../../shared/run/run-activity.tsx'
import { RunBlocks } from '../../../shared/run/run-view.tsx'
import { Message } from '../../../shared/transcript/transcript.tsx'
import { BooAvatar } from '../../../ui/boo/boo-avatar.tsx'
import { classNames } from '../../../ui/class-names.ts'
import type { RoomMembers } from '../room-members.ts'
import type { LiveTurn } from './live-turn.ts'
import { ScriptedMark } from './post-view.tsx'

/** A turn in progress, laid out like the post that will follow. */
export function LiveTurnView(props: {
  readonly turn: LiveTurn
  readonly members: RoomMembers
  /** Whether the last post is from the same Boo, so that face and name are not repeated. */
  readonly isContinued: boolean
}) {
  const { turn, members, isContinued } = props
  const { fold, blocks } = turn
  const [seenAt] = useState(Date.now)
  const agent = members.agent(turn.agentId)
  const name = members.nameOf(turn.agentId)
  return (
    <article
      aria-label={`${name}, speaking`}
      className={classNames('flex min-w-0 flex-col gap-2', isContinued ? 'py-[3px]' : 'mt-2.5 pt-1 pb-[3px]')}
    >
      <Message
        face={isContinued ? null : <Face agent={agent} agentId={turn.agentId} />}
        name={isContinued ? null : name}
        marks={<ScriptedMark agent={agent} />}
        time="now"
        className="gap-0.5"
      >
        <div dir="auto" className="flex min-w-0 flex-col gap-2">
          <RunBlocks runId={turn.runId} name={name} fold={fold} blocks={blocks} end={fold.end} />
        </div>
      </Message>
      {fold.end === null ? <RunActivity fold={{ ...fold, blocks }} startedAt={fold.blocks[0]?.at ?? seenAt} /> : null}
    </article>
  )
}

function Face({ agent, agentId }: { agent: Agent | undefined; agentId: string }) {
  return agent ? <AgentAvatar agent={agent} size={28} /> : <BooAvatar seed={agentId} eyes="working" size={28} />
}
