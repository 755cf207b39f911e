import { ApiError } from '@clawboo/api/client'
import { useTask } from '../../../api/tasks.ts'
import { Loaded } from '../../../shared/loaded.tsx'
import { useShortcuts } from '../../../ui/keyboard/shortcuts.ts'
import { EmptyState } from '../../../ui/page-states.tsx'
import { NewTask } from './new-task.tsx'
import { PanelFrame, type PanelProps } from './panel-frame.tsx'
import { TaskView } from './task-view.tsx'

/** A task or the form for a new one, beside the board or, on a phone, over it. */
export function TaskPanel(props: PanelProps) {
  useShortcuts({ Escape: props.onClose })
  if (props.taskId === 'new') {
    return (
      <PanelFrame label="New task" title="New task" onClose={props.onClose}>
        <NewTask
          team={props.team}
          participants={props.participants}
          onMade={(task) => props.onShow({ task })}
          onClose={props.onClose}
        />
      </PanelFrame>
    )
  }
  return <KnownTask key={props.taskId} {...props} />
}

function KnownTask(props: PanelProps) {
  const task = useTask(props.taskId)
  const { data, error } = task
  if (data && data.task.teamId === props.team.id) return <TaskView {...props} detail={data} />
  const isGone = data !== undefined || (error instanceof ApiError && error.code === 'task_not_found')
  return (
    <PanelFrame label="Task" title="Task" onClose={props.onClose}>
      {isGone ? (
        <EmptyState title="Task not found" seed="lost">
          <p>It belongs to another team, was removed with its team, or the address is wrong.</p>
        </EmptyState>
      ) : (
        <Loaded reading={task} name="the task" rows={3}>
          {() => null}
        </Loaded>
      )}
    </PanelFrame>
  )
}
