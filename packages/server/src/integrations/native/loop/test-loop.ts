import type { LimitTripped, RuntimeEvent } from '@clawboo/core/executor'
import type { Message } from '../session/message.ts'
import { openSession, type Session } from '../session/session.ts'
import { temporaryFolder } from '../session/test-messages.ts'
import { type AgentRun, driveRun } from './agent-run.ts'
import type { AnswerEvent, LoopContext } from './loop-ports.ts'
import { createRunApprovals } from './run-approvals.ts'
import { createRunEvents } from './run-events.ts'
import { RunGate } from './run-gate.ts'
import { createTextOutput } from './text-output.ts'

type AnswerContent = (AnswerEvent & { t: 'done' })['content']

/** The scripted model: the n-th model call plays the n-th function, later calls answer "nothing more". */
export type Answers = readonly ((call: ModelCall) => AsyncIterable<AnswerEvent> | Iterable<AnswerEvent>)[]

export interface ModelCall {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

export interface TestLoop {
  readonly gate: RunGate
  readonly session: Session
  readonly controller: AbortController
  /** The messages of each model call. */
  readonly calls: (readonly Message[])[]
  readonly run: AgentRun
  /** Runs the loop to its end and resolves to all events. */
  play(): Promise<RuntimeEvent[]>
}

export interface TestLoopOptions {
  readonly answers: Answers
  readonly tools?: Partial<AgentRun['tools']>
  readonly context?: Partial<LoopContext>
  readonly tripped?: () => LimitTripped | null
  readonly repeats?: AgentRun['repeats']
  readonly gate?: RunGate
  readonly session?: Session
  readonly append?: (session: Session, messages: readonly Message[]) => Promise<void>
}

/** Sets up one run of the real loop over a real session. */
export async function testLoop(options: TestLoopOptions): Promise<TestLoop> {
  const session = options.session ?? (await openSession(await temporaryFolder(), 's', { cwd: '/', now: () => 1 }))
  const controller = new AbortController()
  const events = createRunEvents('run', session.sessionId, () => 1)
  const calls: (readonly Message[])[] = []
  const { append = async (to, messages) => void (await to.append(...messages)) } = options
  const run: AgentRun = {
    prompt: { id: 'p1', text: 'first' },
    gate: options.gate ?? new RunGate(),
    events,
    approvals: createRunApprovals({ events, timeoutMs: 50 }),
    guard: { mayCallModel: async () => options.tripped?.() ?? null },
    session: {
      hasMessage: (id) => session.hasMessage(id),
      append: (messages) => append(session, messages),
      sync: () => session.sync(),
    },
    context: {
      prepare: async () => ({ kind: 'ready', messages: session.context() }),
      shrink: async () => false,
      ...options.context,
    },
    model: {
      async *answer(messages, signal) {
        calls.push(messages)
        yield { t: 'attempt', provider: 'test', model: 'one' }
        yield* options.answers[calls.length - 1]?.({ messages, signal }) ?? says('nothing more')
      },
    },
    tools: {
      run: async () => ({ content: [{ type: 'text', text: 'done' }], isError: false }),
      startSummary: () => null,
      endSummary: () => null,
      ...options.tools,
    },
    text: createTextOutput(events, {}),
    repeats: options.repeats ?? { observe: () => ({ kind: 'go-on' }) },
    signal: controller.signal,
    now: () => 1,
  }
  return {
    gate: run.gate,
    session,
    controller,
    calls,
    run,
    async play() {
      const received: RuntimeEvent[] = []
      const reading = (async () => {
        for await (const event of events.queue) received.push(event)
      })()
      await driveRun(run)
      await reading
      return received
    },
  }
}

/** An answer with a text and tool calls. */
export function* says(text: string, ...calls: readonly string[]): Iterable<AnswerEvent> {
  const content: AnswerContent = [
    { type: 'text', text },
    ...calls.map((id) => ({ type: 'toolCall', id, name: 'look', arguments: {} }) as const),
  ]
  yield { t: 'text', delta: text }
  yield answered(content)
}

export function answered(content: AnswerContent): AnswerEvent {
  return {
    t: 'done',
    content,
    stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
    provider: 'test',
    model: 'one',
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, costUsd: null },
    contextWindowTokens: null,
  }
}

/** A short form of a context: one line for each text, call and result. */
export function inShort(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'toolResult'
      ? [
          `result ${message.toolCallId}: ${message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')}`,
        ]
      : message.content.map((part) =>
          part.type === 'text'
            ? `${message.role}: ${part.text}`
            : part.type === 'toolCall'
              ? `call ${part.id}`
              : part.type,
        ),
  )
}
