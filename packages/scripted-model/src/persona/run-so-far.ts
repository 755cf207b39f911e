import type { OfferedTool, ScriptedMessage } from '../message.ts'
import { type Action, actionsFor } from './offered-actions.ts'
import { readTask, shortened, type Task } from './read-task.ts'

export interface DoneAction {
  readonly action: Action
  readonly result: string
  readonly failed: boolean
}

/** The persona's progress in a person's request, read from the conversation alone. */
export interface RunSoFar {
  /** The text that started the run. */
  readonly text: string
  readonly task: Task
  readonly isFirstAnswer: boolean
  /** The number of its replies in this run. */
  readonly answers: number
  readonly done: readonly DoneAction[]
  readonly queue: readonly Action[]
  /** The person's messages since the last reply, while the work was going on. */
  readonly added: readonly AddedWords[]
  readonly stopped: boolean
}

export interface AddedWords {
  readonly text: string
  readonly effect: 'stop' | 'instead' | 'next' | 'noted-in-file' | 'noted'
}

export function runSoFar(messages: readonly ScriptedMessage[], tools: readonly OfferedTool[]): RunSoFar {
  const last = messages.findLastIndex((message) => message.role === 'assistant' && !message.toolCalls?.length)
  const run = messages.slice(last + 1).filter((message) => message.role !== 'system')
  const worked = run.findIndex((message) => message.role !== 'user')
  const beginning = worked < 0 ? run : run.slice(0, worked)
  const text = beginning.map((message) => message.text).join('\n')
  const walk = new Walk(text, tools)
  for (const message of worked < 0 ? [] : run.slice(worked)) walk.take(message)
  const answers = run.filter((message) => message.role === 'assistant').length
  return { ...walk.state(), text, answers, isFirstAnswer: !messages.some((message) => message.role === 'assistant') }
}

class Walk {
  readonly #tools: readonly OfferedTool[]
  readonly #task: Task
  readonly #additions: string[] = []
  readonly #done: DoneAction[] = []
  readonly #calls = new Map<string, Action>()
  #queue: Action[]
  #added: AddedWords[] = []
  #stopped = false

  constructor(text: string, tools: readonly OfferedTool[]) {
    this.#tools = tools
    this.#task = readTask(text)
    this.#queue = actionsFor(this.#task, [], tools)
  }

  state(): Omit<RunSoFar, 'text' | 'answers' | 'isFirstAnswer'> {
    return { task: this.#task, done: this.#done, queue: this.#queue, added: this.#added, stopped: this.#stopped }
  }

  take(message: ScriptedMessage): void {
    if (message.role === 'assistant') this.#answered(message)
    else if (message.role === 'tool') this.#result(message)
    else if (message.text.trim() !== '') this.#words(message.text)
  }

  #answered(message: ScriptedMessage): void {
    this.#added = []
    for (const call of message.toolCalls ?? []) {
      const action = this.#queue.shift()
      if (action) this.#calls.set(call.id, action)
    }
  }

  #result(message: ScriptedMessage): void {
    const waiting = this.#calls.keys().next().value
    const id = message.callId !== undefined && this.#calls.has(message.callId) ? message.callId : waiting
    if (id === undefined) return
    const action = this.#calls.get(id)!
    this.#calls.delete(id)
    const failed = message.isError ?? looksFailed(message.text, action)
    this.#done.push({ action, result: message.text, failed })
    // The later steps depend on the failed one.
    if (failed) this.#queue = []
  }

  #words(text: string): void {
    const effect = this.#effectOf(text)
    this.#added.push({ text: shortened(text, 120), effect })
  }

  #effectOf(text: string): AddedWords['effect'] {
    const task = readTask(text)
    if (task.type === 'stop') {
      this.#queue = []
      this.#stopped = true
      return 'stop'
    }
    const actions = actionsFor(task, [], this.#tools)
    if (actions.length > 0) {
      const replaces = /\binstead\b|\brather\b/i.test(text)
      this.#queue = replaces ? actions : [...this.#queue, ...actions]
      return replaces ? 'instead' : 'next'
    }
    this.#additions.push(shortened(text, 200))
    if (this.#task.type !== 'document' || this.#done.some((one) => one.failed)) return 'noted'
    const again = actionsFor(this.#task, this.#additions, this.#tools)
    this.#queue = [...again, ...this.#queue.filter((action) => !again.some((other) => samePath(action, other)))]
    return again.length > 0 ? 'noted-in-file' : 'noted'
  }
}

const samePath = (a: Action, b: Action) => 'path' in a && 'path' in b && a.path === b.path

/** Two protocols do not mark failed results, so only the text can show a failure. A file may contain any words. */
function looksFailed(result: string, action: Action): boolean {
  const start = result.slice(0, 160)
  if (/^\W*(error\b|failed\b|denied\b|refused\b|"?error"?\s*:)/i.test(start)) return true
  return action.does !== 'read' && /\b(denied|not allowed|not permitted|refused)\b/i.test(start)
}
