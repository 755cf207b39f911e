import type { ApprovalAnswer } from '@clawboo/core/executor'
import type { ApprovalQuestion } from '../tools/tool.ts'
import type { RunEvents } from './run-events.ts'

export type RunApprovals = ReturnType<typeof createRunApprovals>

/** The open approval requests of one run. The time limit and an abort of the run deny every request still open. */
export function createRunApprovals(options: { readonly events: RunEvents; readonly timeoutMs: number }) {
  const { events, timeoutMs } = options
  const open = new Map<string, { readonly mayAlwaysAllow: boolean; settle(answer: ApprovalAnswer): void }>()
  let count = 0

  return {
    ask(callId: string, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> {
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
        const { env = {}, ...request } = question
        const action = withVariables(env, question.action)
        events.emit({ type: 'approval-request', approvalId, callId, ...request, action })
      })
    },
    /** False = the request is no longer open. */
    answer(approvalId: string, answer: ApprovalAnswer): boolean {
      const question = open.get(approvalId)
      if (!question) return false
      // A command that is too broad is allowed only once, whatever the client sent.
      question.settle(answer === 'allow-always' && !question.mayAlwaysAllow ? 'allow-once' : answer)
      return true
    },
  }
}

/** The approver must see the variables too: they can change what the command does. */
function withVariables(env: Readonly<Record<string, string>>, command: string): string {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [...assignments, command].join(' ')
}
