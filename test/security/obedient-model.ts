import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ScriptedMessage, ScriptStep, ScriptTurn } from '@clawboo/scripted-model'
import { chooseTurn } from '../../packages/scripted-model/src/choose-turn.ts'
import { playTurn } from '../../packages/scripted-model/src/play-turn.ts'
import { chatCompletions } from '../../packages/scripted-model/src/wire/chat-completions.ts'
import { openConnection, readBody } from '../../packages/scripted-model/src/wire/connection.ts'
import { createRequestLog } from '../../packages/scripted-model/src/wire/recorded-requests.ts'
import { writeAnswer, writeError } from '../../packages/scripted-model/src/wire/write-answer.ts'
import type { Call } from './attack-orders.ts'

/** The actions of a model once it has read a marker. */
export interface Obedience {
  readonly marker: string
  /** The id of the model that obeys. */
  readonly model: string
  readonly rounds: readonly (readonly Call[])[]
  /** The last rounds of calls, chosen from the results of the earlier calls. */
  lastRounds(seen: string): readonly (readonly Call[])[]
  lastWords(seen: string): string
}

/** The worst possible model: it obeys everything that it reads, then repeats everything that it has read. */
export interface ObedientModel {
  readonly url: string
  obey(obedience: Obedience): void
  /** The next calls for this model play these turns, whatever the request contains. */
  playFor(model: string, ...turns: ScriptTurn[]): void
  /** Whether the marker was read; `done` when it was obeyed completely. */
  stateOf(marker: string): 'unread' | 'read' | 'done'
  /** The watched texts that were read, with the model. */
  readonly leaks: readonly { readonly model: string; readonly text: string }[]
  readonly toolCalls: number
  /** From now on a request with this text is a leak, except for these models. */
  watch(text: string, except?: readonly string[]): void
  close(): Promise<void>
}

const SEEN_CHARACTERS = 6_000

interface Progress {
  readonly obedience: Obedience
  readonly rounds: (readonly Call[])[]
  isLast: boolean
  isDone: boolean
  seen: string
}

interface WatchedText {
  readonly text: string
  readonly except: readonly string[]
}

export async function startObedientModel(): Promise<ObedientModel> {
  const open = new Map<string, Progress>()
  const queued = new Map<string, ScriptTurn[]>()
  const watched: WatchedText[] = []
  const leaks: { model: string; text: string }[] = []
  const read = new Set<string>()
  const log = createRequestLog({ requests: 10, bytes: 8 * 1024 * 1024 })
  let toolCalls = 0

  const choose = (model: string, messages: readonly ScriptedMessage[], ask: () => ScriptTurn): ScriptTurn => {
    const next = queued.get(model)?.shift()
    if (next) return next
    const progress = [...open.values()].find(
      ({ obedience, isDone }) =>
        !isDone && obedience.model === model && messages.some(({ text }) => text.includes(obedience.marker)),
    )
    if (!progress) return ask()
    read.add(progress.obedience.marker)
    return obeyOn(progress, messages)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readBody(request)
    const body = JSON.parse(text || '{}') as Record<string, unknown>
    const connection = openConnection(response, log.add({ method: 'POST', path: '', headers: {}, body }, text.length))
    if (request.method !== 'POST') return void response.writeHead(200).end('{"data":[{"id":"boo"}]}')
    const asked = chatCompletions.read(body)
    if (typeof asked === 'string') return writeError(connection, chatCompletions, { status: 400, message: asked })
    leaks.push(...leaksIn(text, asked.model, watched))
    const hasScript = asked.messages.some((one) => one.role === 'user' && one.text.includes('```script'))
    const usual = () => (hasScript ? chooseTurn(asked).steps : [{ say: 'NO_REPLY' }])
    const steps = choose(asked.model, asked.messages, usual)
    toolCalls += steps.filter((step) => 'callTool' in step).length
    await writeAnswer(connection, chatCompletions, asked, playTurn(steps, asked))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leaks,
    get toolCalls() {
      return toolCalls
    },
    obey: (obedience) => void open.set(obedience.marker, startOf(obedience)),
    playFor: (model, ...turns) => void queued.set(model, [...(queued.get(model) ?? []), ...turns]),
    stateOf: (marker) => (open.get(marker)?.isDone ? 'done' : read.has(marker) ? 'read' : 'unread'),
    watch: (text, except = []) => void watched.push({ text, except }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function startOf(obedience: Obedience): Progress {
  return {
    obedience,
    rounds: [...obedience.rounds],
    isLast: false,
    isDone: false,
    seen: '',
  }
}

function leaksIn(body: string, model: string, watched: readonly WatchedText[]): { model: string; text: string }[] {
  return watched
    .filter(({ except }) => !except.includes(model))
    .filter(({ text }) => body.includes(text) || body.includes(JSON.stringify(text).slice(1, -1)))
    .map(({ text }) => ({ model, text }))
}

function obeyOn(progress: Progress, messages: readonly ScriptedMessage[]): ScriptTurn {
  const { obedience, rounds } = progress
  progress.seen += newResults(messages)
  if (rounds.length === 0 && !progress.isLast) {
    progress.isLast = true
    rounds.push(...obedience.lastRounds(progress.seen.slice(0, SEEN_CHARACTERS)))
  }
  const next = rounds.shift()
  if (next) return next.map((call) => step(call, progress.seen))
  progress.isDone = true
  return [{ say: obedience.lastWords(progress.seen.slice(0, SEEN_CHARACTERS)) }]
}

/** The results of its last calls. */
function newResults(messages: readonly ScriptedMessage[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages
    .slice(last + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ text }) => `${text}\n`)
    .join('')
}

function step({ tool, args }: Call, seen: string): ScriptStep {
  const mine = /"id":"([^"]+)","title":"Mine, in the backlog"/.exec(seen)?.[1] ?? 'none'
  const filled = JSON.stringify(args)
    .replaceAll('{{seen}}', () => JSON.stringify(seen.slice(0, SEEN_CHARACTERS)).slice(1, -1))
    .replaceAll('{{mine}}', mine)
  return { callTool: tool, with: JSON.parse(filled) as Record<string, unknown> }
}
