import { TASK_PRIORITIES, TASK_STATUSES, type TaskPriority, type TaskStatus } from '@clawboo/core/board'
import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Board } from '../../api/board.ts'
import { STATUS_TITLES } from '../../shared/task/task-state.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { useAddressText } from '../../ui/state/use-address-text.ts'
import { fieldClass } from '../../ui/text-field.tsx'
import type { BoardSearch } from './board-search.ts'
import type { Participants } from './participants.ts'
import { PRIORITY_TITLES } from './task-words.ts'

const selectClass = `${fieldClass} h-7 max-wide:h-10 text-sm wide:max-w-[190px]`

export interface FieldHandle {
  /** Focuses the search field, and unfolds the filters if necessary. */
  readonly focus: () => void
}

/** On a phone the filters fold behind a button that shows how many are set. */

export function BoardFilters(props: {
  readonly search: BoardSearch
  readonly participants: Participants
  readonly board: Board | undefined
  readonly chosen: TaskStatus
  readonly onChange: (change: BoardSearch) => void
  readonly ref: Ref<FieldHandle>
}) {
  const { search, onChange } = props
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  useImperativeHandle(props.ref, () => ({
    focus: () => {
      flushSync(() => setOpen(true))
      field.current?.focus()
    },
  }))
  const filters = [search.q, search.who, search.priority].filter((value) => value !== undefined).length
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b border-line px-5 py-2.5 text-sm text-muted">
      <div className="flex items-center gap-2 wide:hidden">
        <ColumnPicker board={props.board} chosen={props.chosen} onChange={(column) => onChange({ column })} />
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {filters === 0 ? 'Filter' : `Filter (${filters})`}
          <Icon name={isOpen ? 'up' : 'down'} size={12} />
        </Button>
      </div>
      <div
        id={id}
        className={classNames('flex-wrap items-center gap-x-4 gap-y-2 wide:flex', isOpen ? 'flex' : 'hidden')}
      >
        <WhoFilter value={search.who ?? ''} participants={props.participants} onChange={(who) => onChange({ who })} />
        <label className="flex items-center gap-2 max-wide:min-w-0 max-wide:flex-1">
          <span className="shrink-0">Priority</span>
          <select
            value={search.priority ?? ''}
            onChange={(event) => onChange({ priority: (event.target.value || undefined) as TaskPriority | undefined })}
            className={selectClass}
          >
            <option value="">All</option>
            {TASK_PRIORITIES.toReversed().map((priority) => (
              <option key={priority} value={priority}>
                {PRIORITY_TITLES[priority]}
              </option>
            ))}
          </select>
        </label>
        <TextFilter ref={field} value={search.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
        {filters > 0 ? (
          <Button kind="quiet" onClick={() => onChange({ q: undefined, who: undefined, priority: undefined })}>
            Show all
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function WhoFilter(props: {
  readonly value: string
  readonly participants: Participants
  readonly onChange: (who: string | undefined) => void
}) {
  const { value, participants } = props
  const isKnown = value === '' || value === 'none' || participants.askable.some((one) => one.value === value)
  return (
    <label className="flex items-center gap-2 max-wide:min-w-0 max-wide:flex-1">
      <span className="shrink-0">Who</span>
      <select
        value={value}
        onChange={(event) => props.onChange(event.target.value || undefined)}
        className={selectClass}
      >
        <option value="">Everybody</option>
        <option value="none">Unassigned</option>
        {isKnown ? null : <option value={value}>Not found</option>}
        {participants.askable.map((one) => (
          <option key={one.value} value={one.value}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A phone shows one column at a time. */
function ColumnPicker(props: {
  readonly board: Board | undefined
  readonly chosen: TaskStatus
  readonly onChange: (status: TaskStatus) => void
}) {
  const countOf = (status: TaskStatus) => {
    const column = props.board?.columns.find((one) => one.status === status)
    return column ? ` (${column.tasks.length}${column.hasMore ? '+' : ''})` : ''
  }
  return (
    <label className="flex min-w-0 flex-1 items-center gap-2">
      <span className="shrink-0">Column</span>
      <select
        value={props.chosen}
        onChange={(event) => props.onChange(event.target.value as TaskStatus)}
        className={selectClass}
      >
        {TASK_STATUSES.map((status) => (
          <option key={status} value={status}>{`${STATUS_TITLES[status]}${countOf(status)}`}</option>
        ))}
      </select>
    </label>
  )
}

function TextFilter(props: {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly ref: Ref<HTMLInputElement>
}) {
  const { text, type } = useAddressText(props.value, props.onChange)
  return (
    <span className="relative min-w-[130px] flex-1 text-muted max-wide:basis-full wide:ml-auto wide:max-w-[220px]">
      <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center">
        <Icon name="search" size={14} />
      </span>
      <input
        ref={props.ref}
        type="search"
        aria-label="Search by title"
        placeholder="Search"
        maxLength={200}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text === '') event.currentTarget.blur()
        }}
        className="h-[26px] max-wide:h-10 w-full rounded-full border border-line-strong bg-surface pr-2.5 pl-8 text-sm text-text focus-visible:outline-offset-0"
      />
    </span>
  )
}
