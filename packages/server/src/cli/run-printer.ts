import { endsRun, type RuntimeEvent } from '@clawboo/core/executor'
import { createApprovalQuestions } from './approval-questions.ts'
import type { Context } from './command.ts'
import { print } from './print.ts'
import type { RunningServer } from './running-server.ts'
import { visibleText } from './visible-text.ts'

/** Prints a run: what is said goes to the output, everything about it beside it. With `--json`, events as lines. */
export interface RunPrinter {
  /** Resolves when it is printed. A question it holds is asked meanwhile. */
  show(event: RuntimeEvent): Promise<void>
  /** A line about the run, for a person only. */
  tell(text: string): Promise<void>
  /** Takes back the questions that are open. */
  close(): Promise<void>
}

export function createRunPrinter(context: Context, server: RunningServer): RunPrinter {
  const { stdout, stderr } = context
  if (context.json) {
    const nothing = async () => {}
    return { show: (event) => print(stdout, `${JSON.stringify(event)}\n`), tell: nothing, close: nothing }
  }
  let atLineStart = true
  const say = async (said: string) => {
    const text = visibleText(said)
    await print(stdout, text)
    if (text !== '') atLineStart = text.endsWith('\n')
  }
  const tell = async (text: string) => {
    if (!atLineStart) await say('\n')
    await print(stderr, `${visibleText(text)}\n`)
  }
  const questions = createApprovalQuestions({ context, client: server.client, tell })
  return {
    tell,
    close: questions.close,
    async show(event) {
      if (endsRun(event)) await questions.close()
      if (event.type === 'text-delta') return say(event.text)
      if (event.type === 'tool-call') return tell(`> ${event.summary ?? `${event.tool} ${shortInput(event.input)}`}`)
      if (event.type === 'tool-result' && event.isError) return tell(`  failed: ${firstLine(event.text)}`)
      if (event.type === 'approval-request') return questions.ask(event)
      if (event.type === 'status' && event.state === 'approval-answered')
        return questions.answered(event.approvalId ?? '')
      const words = noticeOf(event)
      if (words !== null) await tell(words)
      else if (event.type === 'done' && !atLineStart) await say('\n')
    },
  }
}

function noticeOf(event: RuntimeEvent): string | null {
  if (event.type === 'error') return `${event.fatal ? 'failed' : 'trouble'}: ${event.message}`
  if (event.type === 'done' && event.outcome !== 'completed')
    return `${event.outcome}${event.detail ? `: ${event.detail}` : ''}`
  if (event.type !== 'status' || !event.detail) return null
  return ['retrying', 'model-changed', 'compacted', 'notice'].includes(event.state) ? event.detail : null
}

function shortInput(input: unknown): string {
  const { path, command } = (input ?? {}) as { readonly path?: unknown; readonly command?: unknown }
  return firstLine(typeof command === 'string' ? command : typeof path === 'string' ? path : JSON.stringify(input))
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
