import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '@clawboo/api/client'
import type { ApprovalRequestEvent, AttentionItem } from '@clawboo/core/executor'
import type { Context } from './command.ts'
import type { RunningServer } from './running-server.ts'

/** Asks the person at the terminal what a run asks, one question after the other, while the run is read on. */
export interface ApprovalQuestions {
  ask(event: ApprovalRequestEvent): void
  /** Somebody has answered it. */
  answered(approvalId: string): void
  /** Nobody waits for an answer any more. Resolves when the terminal is free. */
  close(): Promise<void>
}

export interface Asking {
  readonly context: Context
  readonly client: RunningServer['client']
  /** Prints a line for the person. */
  readonly tell: (text: string) => Promise<void>
}

const IN_THE_PAGE = 'Answer it in the page, under "Needs you".'
const FIND_TRIES = 20
const FIND_PAUSE_MS = 100
const MOST_ITEMS = 500

export function createApprovalQuestions(asking: Asking): ApprovalQuestions {
  const open = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()
  return {
    ask(event) {
      const end = new AbortController()
      open.set(event.approvalId, end)
      last = last.then(() => ask(asking, event, end.signal))
      // `close` gives it to whoever waits; until then it is nobody's.
      last.catch(() => {})
    },
    answered(approvalId) {
      open.get(approvalId)?.abort()
      open.delete(approvalId)
    },
    close() {
      for (const end of open.values()) end.abort()
      open.clear()
      return last
    },
  }
}

async function ask({ context, client, tell }: Asking, event: ApprovalRequestEvent, end: AbortSignal): Promise<void> {
  const item = await findItem(client, event.approvalId, end)
  if (end.aborted) return
  await tell(questionText(event))
  if (!item || !context.stdin.isTTY || !context.stderr.isTTY) return tell(IN_THE_PAGE)
  const typed = await readLine(context, `Allow it? [y]es, once${event.mayAlwaysAllow ? ', [a]lways' : ''}, [N]o `, end)
  if (typed === null) return tell(`\n${end.aborted ? 'No answer is needed any more.' : IN_THE_PAGE}`)
  try {
    await client.answerAttention({ params: { itemId: item.id }, body: { answer: answerOf(typed, event) } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await tell(error.code === 'attention_settled' ? error.message : `Your answer did not arrive: ${error.message}.`)
  }
}

/** The run asks a moment before its question is stored. */
async function findItem(client: Asking['client'], approvalId: string, end: AbortSignal): Promise<AttentionItem | null> {
  for (let tries = 0; tries < FIND_TRIES && !end.aborted; tries += 1) {
    if (tries > 0) await pause(FIND_PAUSE_MS)
    try {
      const { items } = await client.listAttention({ query: { state: 'open', limit: MOST_ITEMS } })
      const item = items.find(({ subjectId }) => subjectId === approvalId)
      if (item) return item
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return null
}

/** No line of the command or of the reason begins where ours do: it cannot pass for one of ours. */
function questionText({ action, cwd, reason }: ApprovalRequestEvent): string {
  const [where, why] = [cwd, reason].map((text) => text.replaceAll('\n', '\\n'))
  return `It asks to run this in ${where}:\n  ${action.replaceAll('\n', '\n  ')}\n  (${why})`
}

/** null when the question ends without an answer. */
async function readLine({ stdin, stderr }: Context, question: string, end: AbortSignal): Promise<string | null> {
  const terminal = createInterface({ input: stdin, output: stderr })
  const close = () => terminal.close()
  // In a question the terminal hands Ctrl-C over as a key.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  end.addEventListener('abort', close)
  try {
    return await new Promise((resolve) => {
      terminal.once('close', () => resolve(null))
      if (end.aborted) close()
      else terminal.question(question, resolve)
    })
  } finally {
    end.removeEventListener('abort', close)
    close()
  }
}

function answerOf(typed: string, { mayAlwaysAllow }: ApprovalRequestEvent): 'allow-once' | 'allow-always' | 'deny' {
  const word = typed.trim().toLowerCase()
  if (word.startsWith('y')) return 'allow-once'
  return word.startsWith('a') && mayAlwaysAllow ? 'allow-always' : 'deny'
}
