import type { TaskCard } from '@clawboo/core/board'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { useFoundTasks } from '../../../api/board.ts'
import { STATUS_TITLES } from '../../../shared/task/task-state.ts'
import { classNames } from '../../../ui/class-names.ts'
import { fieldClass, fieldHeight } from '../../../ui/text-field.tsx'

const SHOWN = 20

/** Finds a team's tasks by title and reports each chosen one. The list is visible while the person types. */
export function TaskPicker(props: {
  readonly teamId: string
  readonly label: string
  readonly without: readonly string[]
  readonly autoFocus?: boolean
  readonly onChoose: (task: TaskCard) => void
}) {
  const [query, setQuery] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const listId = useId()
  const search = useFoundTasks(props.teamId, useDeferredValue(query.trim()))
  const found = (search.data ?? []).filter(({ id }) => !props.without.includes(id)).slice(0, SHOWN)
  const at = Math.min(active, found.length - 1)
  const choose = (task: TaskCard) => {
    props.onChoose(task)
    setQuery('')
    setOpen(false)
  }
  const onKeyDown = listKeys({
    onClose: () => setOpen(false),
    onEnter: () => {
      if (isOpen && found[at]) choose(found[at])
    },
    onStep: (step) => {
      setOpen(true)
      if (found.length > 0) setActive((at + step + found.length) % found.length)
    },
  })
  return (
    <div>
      <input
        role="combobox"
        aria-label={props.label}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && found[at] ? `${listId}-${at}` : undefined}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: set only where the search field is the main control
        autoFocus={props.autoFocus}
        placeholder={props.label}
        maxLength={200}
        value={query}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={(event) => {
          setQuery(event.target.value)
          setOpen(true)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className={`${fieldClass} ${fieldHeight}`}
      />
      <FoundTasks id={listId} isShown={isOpen} found={found} at={at} onChoose={choose} />
      <p role="status" className={isOpen && search.data && found.length === 0 ? 'pt-1 text-sm text-muted' : 'sr-only'}>
        {isOpen && search.data ? foundWords(found.length) : ''}
      </p>
    </div>
  )
}

function listKeys(keys: {
  readonly onClose: () => void
  readonly onEnter: () => void
  readonly onStep: (step: number) => void
}) {
  return (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') keys.onClose()
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) keys.onEnter()
    else keys.onStep(step)
  }
}

function FoundTasks(props: {
  readonly id: string
  readonly isShown: boolean
  readonly found: readonly TaskCard[]
  readonly at: number
  readonly onChoose: (task: TaskCard) => void
}) {
  return (
    <div
      id={props.id}
      role="listbox"
      aria-label="Tasks"
      hidden={!props.isShown || props.found.length === 0}
      className="mt-1 max-h-[220px] overflow-y-auto rounded-m border border-line bg-raised p-1"
    >
      {props.found.map((task, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the active option
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={task.id}
          id={`${props.id}-${index}`}
          role="option"
          aria-selected={index === props.at}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => props.onChoose(task)}
          className={classNames(
            'flex min-h-8 max-wide:min-h-10 cursor-pointer items-center justify-between gap-3 rounded-s px-2 py-1 hover:bg-sunken',
            index === props.at && 'bg-accent-soft',
          )}
        >
          <span className="min-w-0 truncate">{task.title}</span>
          <span className="shrink-0 text-sm text-muted">{STATUS_TITLES[task.status]}</span>
        </div>
      ))}
    </div>
  )
}

function foundWords(count: number): string {
  return count === 0 ? 'No other task has this title.' : `${count} found`
}
