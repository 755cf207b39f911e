import { createInterface } from 'node:readline/promises'
import type { ApprovalRequestEvent, RuntimeEvent } from '@clawboo/core/executor'
import type { Context } from './command.ts'
import { print } from './print.ts'
import type { RunningServer } from './running-server.ts'

/** Prints a run: what is said goes to the output, everything about it beside it. With `--json`, events as lines. */
export interface RunPrinter {
  /** Resolves when it is printed, and when a question it holds is answered. */
  show(event: RuntimeEvent): Promise<void>
}

export function createRunPrinter(context: Context, server: RunningServer): RunPrinter {
  const { stdout, stderr } = context
  if (context.json) return { show: async (event) => print(stdout, `${JSON.stringify(event)}\n`) }
  let atLineStart = true
  const say = async (said: string) => {
    const text = visible(said)
    await print(stdout, text)
    if (text !== '') atLineStart = text.endsWith('\n')
  }
  const tell = async (text: string) => {
    if (!atLineStart) await say('\n')
    await print(stderr, `${visible(text)}\n`)
  }
  return {
    async show(event) {
      if (event.type === 'text-delta') return say(event.text)
      if (event.type === 'tool-call') return tell(`> ${event.summary ?? `${event.tool} ${shortInput(event.input)}`}`)
      if (event.type === 'tool-result' && event.isError) return tell(`  failed: ${firstLine(event.text)}`)
      if (event.type === 'approval-request') return ask(event, context, server, tell)
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

async function ask(
  event: ApprovalRequestEvent,
  context: Context,
  server: RunningServer,
  tell: (text: string) => Promise<void>,
): Promise<void> {
  await tell(`It asks to run this in ${event.cwd}:\n  ${event.action}\n  (${event.reason})`)
  const { items } = await server.client.listAttention({ query: { state: 'open' } })
  const item = items.find(({ subjectId }) => subjectId === event.approvalId)
  if (!item) return
  if (!context.stdin.isTTY || !context.stderr.isTTY) return tell('Answer it in the page, under "Needs you".')
  const terminal = createInterface({ input: context.stdin, output: context.stderr })
  try {
    const always = event.mayAlwaysAllow ? ', [a]lways' : ''
    const typed = (await terminal.question(`Allow it? [y]es, once${always}, [N]o `)).trim().toLowerCase()
    const answer = typed.startsWith('y')
      ? 'allow-once'
      : typed.startsWith('a') && event.mayAlwaysAllow
        ? 'allow-always'
        : 'deny'
    await server.client.answerAttention({ params: { itemId: item.id }, body: { answer } })
  } finally {
    terminal.close()
  }
}

function shortInput(input: unknown): string {
  const { path, command } = (input ?? {}) as { readonly path?: unknown; readonly command?: unknown }
  return firstLine(typeof command === 'string' ? command : typeof path === 'string' ? path : JSON.stringify(input))
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

/** A terminal obeys control characters, and direction marks reorder what is read: both are shown, not sent. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (sign) =>
    sign === '\n' || sign === '\t' ? sign : `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  )
}
