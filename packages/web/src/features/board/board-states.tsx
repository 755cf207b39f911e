import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/page-states.tsx'

export function NoTasks(props: {
  readonly isFiltered: boolean
  readonly onMake: () => void
  readonly onClear: () => void
}) {
  return props.isFiltered ? (
    <EmptyState title="No tasks match">
      <p>Remove a filter to see more.</p>
      <Button onClick={props.onClear}>Show all tasks</Button>
    </EmptyState>
  ) : (
    <EmptyState title="No tasks yet" seed="board">
      <p>
        A task says what is to be done and who does it. A Boo starts when its turn comes, and nothing counts as done
        before something shows it.
      </p>
      <Button kind="primary" onClick={props.onMake}>
        Make the first task
      </Button>
    </EmptyState>
  )
}

export function BoardSkeleton() {
  return (
    <div role="status" className="flex min-h-0 flex-1 flex-col bg-bg">
      <p className="px-5 py-2 text-sm text-muted">Loading the board</p>
      <div aria-hidden="true" className="flex gap-3 overflow-hidden px-5">
        {[3, 2, 1, 2].map((cards, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns are identical and never move
          <div key={column} className="flex w-[214px] shrink-0 flex-col gap-2">
            <span className="skeleton h-4 w-24" />
            {Array.from({ length: cards }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <span key={index} className="skeleton h-[84px] w-full" />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
