import { useState } from 'react'
import { useRefreshWorkspace } from '../../../api/agent/workspace.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'

/** Refreshes the list and the open file. No event reports files that a background command writes. */
export function LookAgain({ agentId }: { agentId: string }) {
  const lookAgain = useRefreshWorkspace(agentId)
  const [looking, setLooking] = useState(false)
  const look = async () => {
    setLooking(true)
    const problem = await lookAgain().then(
      () => null,
      (error: unknown) => readProblem(error, 'the workspace'),
    )
    setLooking(false)
    if (problem) announce(`${problem.title}. ${problem.detail}`, 'bad')
    else announce('Refresh')
  }
  return (
    <Button kind="quiet" aria-disabled={looking} onClick={() => (looking ? undefined : void look())}>
      {looking ? 'Refreshing' : 'Refresh'}
    </Button>
  )
}
