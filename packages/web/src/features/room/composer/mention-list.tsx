import { useEffect, useRef } from 'react'
import type { Agent } from '../../../api/fleet.ts'
import { AgentAvatar, useAgentState } from '../../../shared/agent/agent-look.tsx'
import { roleOf } from '../../../shared/agent/agent-words.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { MentionList } from './use-typing.ts'

export const optionId = (listId: string, agentId: string) => `${listId}-${agentId}`

/** The Boos that can be mentioned, above the message field. */
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
          boo={boo}
          isActive={at === list.active}
          leads={boo.id === leaderId}
          onPoint={() => list.setActive(at)}
          onPick={() => onPick(boo)}
        />
      ))}
    </div>
  )
}

function Option(props: {
  readonly id: string
  readonly boo: Agent
  readonly isActive: boolean
  readonly leads: boolean
  readonly onPoint: () => void
  readonly onPick: () => void
}) {
  const { boo, isActive } = props
  const box = useRef<HTMLDivElement>(null)
  const state = useAgentState(boo)
  useEffect(() => {
    if (isActive) box.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  const about = [props.leads ? 'leads' : '', roleOf(boo) ?? '', state.pill].filter(Boolean).join(' · ')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: focus stays in the field, which handles the keys
    <div
      ref={box}
      id={props.id}
      role="option"
      aria-selected={isActive}
      onPointerMove={props.onPoint}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={props.onPick}
      className={classNames(
        'flex min-h-9 max-wide:min-h-11 cursor-default items-center gap-2.5 rounded-s px-2 py-1',
        isActive && 'bg-sunken',
      )}
    >
      <AgentAvatar agent={boo} size={24} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-[550]">{boo.displayName}</span>
        <span className="block truncate text-xs text-muted">{about}</span>
      </span>
    </div>
  )
}
