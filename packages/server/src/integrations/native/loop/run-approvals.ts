import type { ApprovalAnswer } from '@clawboo/core/executor'
import type { ApprovalQuestion } from '../tools/tool.ts'
import type { RunEvents } from './run-events.ts'

/** The questions of one run that wait for a person. */
export interface RunApprovals {
  ask(callId: string, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>
  /** False: nobody asks that any more. */
  answer(approvalId: string, answer: ApprovalAnswer): boolean
}

/** Unanswered means denied: without an approver at once, after the time limit, and when the run is aborted. */
export function createRunApprovals(options: {
  readonly events: RunEvents
  readonly approver: boolean
  readonly timeoutMs: number
}): RunApprovals {
  const { events, approver, timeoutMs } = options
  const open = new Map<string, { readonly mayAlwaysAllow: boolean; settle(answer: ApprovalAnswer): void }>()
  let asked = 0

  return {
    ask(callId, question, signal) {
      if (!approver || signal.aborted) return Promise.resolve('deny')
      asked += 1
      const approvalId = `${events.runId}-a${asked}`
      return new Promise((resolve) => {
        const settle = (answer: ApprovalAnswer) => {
          if (!open.delete(approvalId)) return
          clearTimeout(timer)
          signal.removeEventListener('abort', onAbort)
          events.emit({ type: 'status', state: 'approval-answered', approvalId, detail: answer })
          resolve(answer)
        }
        const onAbort = () => settle('deny')
        const timer = setTimeout(onAbort, timeoutMs).unref()
        signal.addEventListener('abort', onAbort, { once: true })
        open.set(approvalId, { mayAlwaysAllow: question.mayAlwaysAllow, settle })
        events.emit({ type: 'approval-request', approvalId, callId, ...question })
      })
    },
    answer(approvalId, answer) {
      const question = open.get(approvalId)
      if (!question) return false
      // Nothing too wide is ever allowed for good, whatever was sent.
      question.settle(answer === 'allow-always' && !question.mayAlwaysAllow ? 'allow-once' : answer)
      return true
    },
  }
}
