import type { ApprovalAnswer } from '@clawboo/core/executor'
import type { ApprovalQuestion } from '../tools/tool.ts'
import type { RunEvents } from './run-events.ts'

/** The questions of one run that wait for a person. */
export interface RunApprovals {
  ask(callId: string, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer>
  /** False: nobody asks that any more. */
  answer(approvalId: string, answer: ApprovalAnswer): boolean
}

/** A question without an answer is denied after the time limit, and when the run is aborted. */
export function createRunApprovals(options: { readonly events: RunEvents; readonly timeoutMs: number }): RunApprovals {
  const { events, timeoutMs } = options
  const open = new Map<string, { readonly mayAlwaysAllow: boolean; settle(answer: ApprovalAnswer): void }>()
  let count = 0

  return {
    ask(callId, question, signal) {
      if (signal.aborted) return Promise.resolve('deny')
      count += 1
      const approvalId = `${events.runId}-a${count}`
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
        const { env = {}, ...asked } = question
        const action = withVariables(env, question.action)
        events.emit({ type: 'approval-request', approvalId, callId, ...asked, action })
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

/** Whoever answers sees the variables too: they are part of what would run. */
function withVariables(env: Readonly<Record<string, string>>, command: string): string {
  const set = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [...set, command].join(' ')
}
