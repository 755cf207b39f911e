import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '@clawboo/api/client'
import type { ApprovalRequestEvent, AttentionItem } from '@clawboo/core/executor'
import type { Context } from '../command.ts'
import type { RunningServer } from '../server/running-server.ts'

interface Asking {
  readonly context: Context
  readonly client: RunningServer['client']
  readonly tell: (text: string) => Promise<void>
}

const IN_THE_PAGE = 'Answer in the page, under "Needs you".'
const FIND_TRIES = 20
const FIND_PAUSE_MS = 100
const MOST_ITEMS = 500

/** Asks the person at the terminal each question of a run, one at a time, while the run continues to print. */
export function createApprovalQuestions(asking: Asking) {
  const open = new Map<string, AbortController>()
  let last: Promise<void> = Promise.resolve()
  return {
    ask(event: ApprovalRequestEvent) {
      const end = new AbortController()
      open.set(event.approvalId, end)
      last = last.then(() => ask(asking, event, end.signal))
      // `close` returns this promise; a rejection before that must not count as unhandled.
      last.catch(() => {})
    },
    /** Closes the question: it was answered elsewhere. */
    answered(approvalId: string) {
      open.get(approvalId)?.abort()
      open.delete(approvalId)
    },
    /** Closes every open question. Resolves when the terminal is free. */
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
  if (typed === null) return tell(`\n${end.aborted ? 'The run no longer needs an answer.' : IN_THE_PAGE}`)
  try {
    await client.answerAttention({ params: { itemId: item.id }, body: { answer: answerOf(typed, event) } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await tell(error.code === 'attention_settled' ? error.message : `Your answer was not delivered: ${error.message}.`)
  }
}

/** Retries, because the run asks a moment before the server stores the question. */
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

/** Indents the command and the reason, so that none of their lines looks like a line of this program. */
function questionText({ action, cwd, reason }: ApprovalRequestEvent): string {
  const [where, why] = [cwd, reason].map((text) => text.replaceAll('\n', '\\n'))
  return `The Boo wants to run this in ${where}:\n  ${action.replaceAll('\n', '\n  ')}\n  (${why})`
}

/** Returns null when the question closes without an answer. */
async function readLine({ stdin, stderr }: Context, question: string, end: AbortSignal): Promise<string | null> {
  const terminal = createInterface({ input: stdin, output: stderr })
  const close = () => terminal.close()
  // While it asks, readline receives Ctrl-C as a key instead of a signal.
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
