import type { Agent } from '../../../api/fleet.ts'
import { AgentAvatar, useAgentState } from '../../../shared/agent/agent-look.tsx'
import { roleOf } from '../../../shared/agent/agent-words.ts'
import { Option } from '../../../ui/option-list.tsx'
import type { MentionList } from './use-typing.ts'

export const optionId = (listId: string, agentId: string) => `${listId}-${agentId}`

export function MentionOptions(props: {
  readonly id: string
  readonly list: MentionList
  readonly leaderId: string | null
  readonly onPick: (boo: Agent) => void
}) {
  const { id, list, leaderId, onPick } = props
  if (!list.place) return null
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Boos of this team"
      className="floats-in absolute bottom-full left-0 z-40 mb-1.5 max-h-[260px] w-[320px] max-w-full overflow-y-auto rounded-m border border-line bg-raised p-1 shadow-float"
    >
      {list.found.map((boo, at) => (
        <Option
          key={boo.id}
          id={optionId(id, boo.id)}
          isActive={at === list.active}
          onPoint={() => list.setActive(at)}
          onChoose={() => onPick(boo)}
          className="min-h-9 max-wide:min-h-11 py-1"
        >
          <FoundBoo boo={boo} leads={boo.id === leaderId} />
        </Option>
      ))}
    </div>
  )
}

function FoundBoo({ boo, leads }: { boo: Agent; leads: boolean }) {
  const state = useAgentState(boo)
  const about = [leads ? 'leads' : '', roleOf(boo) ?? '', state.pill].filter(Boolean).join(' · ')
  return (
    <>
      <AgentAvatar agent={boo} size={24} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-[550]">{boo.displayName}</span>
        <span className="block truncate text-xs text-muted">{about}</span>
      </span>
    </>
  )
}
