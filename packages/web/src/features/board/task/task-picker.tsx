import type { TaskCard } from '@clawboo/core/board'
import { useDeferredValue, useState } from 'react'
import { useFoundTasks } from '../../../api/board.ts'
import { STATUS_TITLES } from '../../../shared/task/task-state.ts'
import { OptionList } from '../../../ui/option-list.tsx'
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
  const search = useFoundTasks(props.teamId, useDeferredValue(query.trim()))
  const found = (search.data ?? []).filter(({ id }) => !props.without.includes(id)).slice(0, SHOWN)
  return (
    <div>
      <OptionList
        field={{
          'aria-label': props.label,
          placeholder: props.label,
          autoFocus: props.autoFocus,
          maxLength: 200,
          value: query,
          onFocus: () => setOpen(true),
          onBlur: () => setOpen(false),
          className: `${fieldClass} ${fieldHeight}`,
        }}
        onType={setQuery}
        label="Tasks"
        items={found}
        render={(task) => (
          <>
            <span className="min-w-0 truncate">{task.title}</span>
            <span className="ml-auto shrink-0 text-sm text-muted">{STATUS_TITLES[task.status]}</span>
          </>
        )}
        onChoose={(task) => {
          props.onChoose(task)
          setQuery('')
          setOpen(false)
        }}
        open={{ isOpen, set: setOpen }}
        listClass="mt-1 max-h-[220px] overflow-y-auto rounded-m border border-line bg-raised p-1"
        optionClass="min-h-8 max-wide:min-h-10 py-1"
        none={search.data ? 'No other task has this title.' : 'Loading the tasks'}
      />
    </div>
  )
}
