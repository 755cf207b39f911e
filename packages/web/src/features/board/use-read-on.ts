import type { TaskStatus } from '@clawboo/core/board'
import { useRef, useState } from 'react'
import { type BoardFilter, useMoreOfColumn } from '../../api/board.ts'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'

type State = 'reading' | 'failed'

/** Loads more of columns, one request per column at a time. After a failure it waits for the person. */
export function useReadOn(teamId: string, filter: BoardFilter) {
  const more = useMoreOfColumn(teamId, filter)
  const [states, setStates] = useState<Readonly<Partial<Record<TaskStatus, State>>>>({})
  const under = useRef(new Set<TaskStatus>())
  const set = (status: TaskStatus, state: State | undefined) => setStates((all) => ({ ...all, [status]: state }))
  const readOn = async (status: TaskStatus) => {
    if (under.current.has(status)) return
    under.current.add(status)
    set(status, 'reading')
    try {
      await more.mutateAsync(status)
      set(status, undefined)
    } catch (error) {
      set(status, 'failed')
      announce(problemWords(error, 'load more tasks'), 'bad')
    } finally {
      under.current.delete(status)
    }
  }
  return {
    readOn: (status: TaskStatus) => void readOn(status),
    isReading: (status: TaskStatus) => states[status] === 'reading',
    hasFailed: (status: TaskStatus) => states[status] === 'failed',
  }
}
