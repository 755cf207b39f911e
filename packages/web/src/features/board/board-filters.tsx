import { TASK_PRIORITIES, TASK_STATUSES, type TaskPriority, type TaskStatus } from '@clawboo/core/board'
import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Board } from '../../api/board.ts'
import { STATUS_TITLES } from '../../shared/task/task-state.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { Icon } from '../../ui/icon.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import type { BoardSearch } from './board-search.ts'
import type { Participants } from './participants.ts'
import { PRIORITY_TITLES } from './task-words.ts'

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
        <FilterSelect
          label="Priority"
          value={search.priority ?? ''}
          onChange={(priority) => onChange({ priority: (priority || undefined) as TaskPriority | undefined })}
          options={[['', 'All'], ...TASK_PRIORITIES.toReversed().map((one) => [one, PRIORITY_TITLES[one]] as const)]}
        />
        <SearchField
          ref={field}
          label="Search by title"
          value={search.q ?? ''}
          onChange={(q) => onChange({ q: q || undefined })}
          className="min-w-[130px] max-wide:basis-full wide:ml-auto"
        />
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
    <FilterSelect
      label="Who"
      value={value}
      onChange={(who) => props.onChange(who || undefined)}
      options={[
        ['', 'Everybody'],
        ['none', 'Unassigned'],
        ...(isKnown ? [] : [[value, 'Not found'] as const]),
        ...participants.askable.map((one) => [one.value, one.name] as const),
      ]}
    />
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
    <FilterSelect
      label="Column"
      value={props.chosen}
      onChange={(status) => props.onChange(status as TaskStatus)}
      options={TASK_STATUSES.map((status) => [status, `${STATUS_TITLES[status]}${countOf(status)}`])}
    />
  )
}
