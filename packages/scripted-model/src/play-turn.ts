import type { ScriptedMessage, ScriptedRequest, ScriptedToolCall, ScriptedUsage } from './message.ts'
import type { EchoSubject, ScriptedAnswer, ScriptedFailure, ScriptStep, ScriptTurn } from './script.ts'
import { textHash } from './text-hash.ts'

export type TurnContent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | ({ readonly type: 'tool-call' } & ScriptedToolCall)

export type CleanEnd = {
  readonly type: 'end'
  readonly because: 'stop' | 'tool-calls' | 'length' | 'content-filter'
  readonly usage: ScriptedUsage
  readonly leavesSocketOpen: boolean
}

export type TurnEnd =
  | CleanEnd
  | { readonly type: 'end'; readonly because: 'failed'; readonly failure: ScriptedFailure }
  | { readonly type: 'end'; readonly because: 'cut' }
  | { readonly type: 'end'; readonly because: 'refused' }
  | { readonly type: 'end'; readonly because: 'half-call'; readonly call: ScriptedToolCall }
  | { readonly type: 'end'; readonly because: 'answer'; readonly answer: ScriptedAnswer }

/** `start` first, then content, then exactly one `end`. A `pause` of Infinity never ends by itself. */
export type TurnEvent =
  | { readonly type: 'start'; readonly id: string; readonly input: number; readonly cacheRead: number }
  | TurnContent
  | { readonly type: 'pause'; readonly ms: number }
  | { readonly type: 'raw'; readonly text: string }
  | TurnEnd

/** Turns steps into events. The same request and steps always give the same events; time passes only at `pause`. */
export function* playTurn(steps: ScriptTurn, request: ScriptedRequest, wordDelayMs = 0): Generator<TurnEvent, void> {
  const turn = new TurnInPlay(steps, request)
  yield turn.start()
  for (const step of steps) {
    if (step.forModel !== undefined && step.forModel !== request.model) continue
    const end = yield* playStep(step, turn, wordDelayMs)
    if (end) return yield end
  }
  yield turn.cleanEnd()
}

function* playStep(step: ScriptStep, turn: TurnInPlay, wordDelayMs: number): Generator<TurnEvent, TurnEnd | null> {
  if ('say' in step) yield* turn.words('text-delta', step.say, wordDelayMs)
  else if ('think' in step) yield* turn.words('reasoning-delta', step.think, wordDelayMs)
  else if ('echo' in step) yield* turn.words('text-delta', shown(step.echo, turn.request), wordDelayMs)
  else if ('drip' in step) yield* turn.words('text-delta', step.drip.text, step.drip.everyMs)
  else if ('callTool' in step) yield turn.call(step.callTool, JSON.stringify(step.with ?? {}), step.id)
  else if ('badArguments' in step) yield turn.call(step.badArguments, step.text ?? '{"path": "a.txt", ')
  else if ('wait' in step) yield { type: 'pause', ms: step.wait }
  else if ('stall' in step) yield { type: 'pause', ms: Number.POSITIVE_INFINITY }
  else if ('raw' in step) yield { type: 'raw', text: step.raw }
  else if ('end' in step) return turn.cleanEnd(step.end.reason)
  else if ('openSocket' in step) return { ...turn.cleanEnd(), leavesSocketOpen: true }
  else if ('fail' in step) return { type: 'end', because: 'failed', failure: step.fail }
  else if ('cut' in step) return { type: 'end', because: 'cut' }
  else if ('refuse' in step) return { type: 'end', because: 'refused' }
  else if ('halfCall' in step)
    return { type: 'end', because: 'half-call', call: turn.call(step.halfCall, '{"path": "a') }
  else if ('answer' in step) return { type: 'end', because: 'answer', answer: step.answer }
  return null
}

class TurnInPlay {
  readonly request: ScriptedRequest
  readonly #id: string
  readonly #claimed: Extract<ScriptStep, { usage: unknown }>['usage'] | undefined
  readonly #inputChars: number
  #outputChars = 0
  #reasoningChars = 0
  #calls = 0

  constructor(steps: ScriptTurn, request: ScriptedRequest) {
    this.request = request
    this.#claimed = steps.find((step) => 'usage' in step)?.usage
    this.#inputChars = request.messages.reduce((sum, message) => sum + messageChars(message), 0)
    this.#id = turnId(request, this.#inputChars)
  }

  start(): TurnEvent {
    const { input, cacheRead } = this.#usage()
    return { type: 'start', id: this.#id, input, cacheRead }
  }

  *words(type: 'text-delta' | 'reasoning-delta', text: string, delayMs: number): Generator<TurnEvent, void> {
    for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
      this.#outputChars += word.length
      if (type === 'reasoning-delta') this.#reasoningChars += word.length
      yield { type, text: word }
      if (delayMs > 0) yield { type: 'pause', ms: delayMs }
    }
  }

  call(tool: string, input: string, id?: string): { type: 'tool-call' } & ScriptedToolCall {
    this.#outputChars += input.length
    this.#calls++
    return { type: 'tool-call', id: id ?? `call_${this.#id}_${this.#calls}`, tool, input }
  }

  cleanEnd(because?: CleanEnd['because']): CleanEnd {
    const natural = this.#calls > 0 ? 'tool-calls' : 'stop'
    return { type: 'end', because: because ?? natural, usage: this.#usage(), leavesSocketOpen: false }
  }

  #usage(): ScriptedUsage {
    const input = this.#claimed?.input ?? tokens(this.#inputChars)
    return {
      input,
      output: this.#claimed?.output ?? tokens(this.#outputChars),
      cacheRead: Math.min(this.#claimed?.cacheRead ?? 0, input),
      reasoning: this.#claimed ? 0 : tokens(this.#reasoningChars),
    }
  }
}

const tokens = (chars: number) => Math.ceil(chars / 4)

function messageChars(message: ScriptedMessage): number {
  let chars = message.text.length
  for (const call of message.toolCalls ?? []) chars += call.tool.length + call.input.length
  return chars
}

/** Call ids must never repeat within a conversation, even after its history was shortened. */
function turnId({ messages }: ScriptedRequest, chars: number): string {
  const last = messages.at(-1)
  const place = `${messages.length}/${chars}/${last?.role}/${last?.callId ?? ''}/`
  return textHash(place + (last?.text.slice(-2000) ?? ''))
    .toString(16)
    .padStart(8, '0')
}

function shown(subject: EchoSubject, { messages, tools, model }: ScriptedRequest): string {
  const texts = (role: ScriptedMessage['role']) => messages.filter((one) => one.role === role).map((one) => one.text)
  switch (subject) {
    case 'lastUser':
      return texts('user').at(-1) ?? ''
    case 'system':
      return texts('system').join('\n\n')
    case 'toolResults':
      return texts('tool').join('\n\n')
    case 'messageCount':
      return String(messages.length)
    case 'toolNames':
      return tools.map((tool) => tool.name).join(' ')
    case 'model':
      return model ?? ''
    default:
      return subject satisfies never
  }
}
