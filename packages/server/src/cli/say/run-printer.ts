import { endsRun, type RuntimeEvent } from '@clawboo/core/executor'
import type { Context } from '../command.ts'
import type { RunningServer } from '../server/running-server.ts'
import { print } from '../terminal/print.ts'
import { visibleText } from '../terminal/visible-text.ts'
import { createApprovalQuestions } from './approval-questions.ts'

/** Prints a run: the agent's text to stdout, everything else to stderr. With `--json`, prints each event as a line. */
interface RunPrinter {
  /** Resolves when the event is printed. A question is asked in the background. */
  show(event: RuntimeEvent): Promise<void>
  /** Prints a line about the run. Prints nothing with `--json`. */
  tell(text: string): Promise<void>
  /** Closes the open questions. */
  close(): Promise<void>
}

export function createRunPrinter(context: Context, server: RunningServer): RunPrinter {
  const { stdout, stderr } = context
  if (context.json) {
    const nothing = async () => {}
    return { show: (event) => print(stdout, `${JSON.stringify(event)}\n`), tell: nothing, close: nothing }
  }
  let atLineStart = true
  const printText = async (raw: string) => {
    const text = visibleText(raw)
    await print(stdout, text)
    if (text !== '') atLineStart = text.endsWith('\n')
  }
  const tell = async (text: string) => {
    if (!atLineStart) await printText('\n')
    await print(stderr, `${visibleText(text)}\n`)
  }
  const questions = createApprovalQuestions({ context, client: server.client, tell })
  return {
    tell,
    close: questions.close,
    async show(event) {
      if (endsRun(event)) await questions.close()
      if (event.type === 'text-delta') return printText(event.text)
      if (event.type === 'tool-call') return tell(`> ${event.summary ?? `${event.tool} ${shortInput(event.input)}`}`)
      if (event.type === 'tool-result' && event.isError) return tell(`  failed: ${firstLine(event.text)}`)
      if (event.type === 'approval-request') return questions.ask(event)
      if (event.type === 'status' && event.state === 'approval-answered')
        return questions.answered(event.approvalId ?? '')
      const notice = noticeOf(event)
      if (notice !== null) await tell(notice)
      else if (event.type === 'done' && !atLineStart) await printText('\n')
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
