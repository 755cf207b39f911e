import { valuesOfCall } from './call-values.ts'
import { type GateState, openMemory, stateOf } from './gate-memory.ts'
import { type Doubt, doubtAbout, type Strictness } from './judge-call.ts'
import { readPersonWords } from './person-words.ts'
import { readResult } from './read-result.ts'
import { effectOfTool, type GatedTool, type ToolEffect } from './tool-effect.ts'
import { traceKey } from './trace-key.ts'
import { placeInWords, wordQuestion } from './word-question.ts'

/**
 * The decision in front of every tool call of one task. Words from outside cannot act: once the agent has read a
 * result, a call that sends, changes, destroys or pays passes only if the values that decide it come from the person's
 * words, from what those words name, or from an answer of the person in this task.
 *
 * The host calls `before` for each call and runs the tool only after `pass`. After `ask` it shows the question, and
 * passes the answer to `answered` before it runs the tool. It calls `after` with every result that the model receives,
 * in the order in which the model receives them. Calls that a model makes together are all judged before any of their
 * results is read.
 *
 * A gate cannot see what a tool does, only what it is called, what it says about itself and what it is given.
 */
export interface ToolGate {
  before(call: GatedCall): Verdict
  after(call: GatedCall, result: string | null): void
  answered(question: GateQuestion, isAllowed: boolean): void
  /** As JSON. A gate that is opened with it continues where this one is. */
  state(): GateState
}

/** `denied`: the person already said no to exactly this. The host does not ask again. */
export type Verdict = { readonly kind: 'pass' } | { readonly kind: 'ask' | 'denied'; readonly question: GateQuestion }

export interface GatedCall {
  readonly tool: string
  readonly args: unknown
}

export interface GateQuestion {
  readonly effect: ToolEffect
  readonly tool: string
  /** The value in doubt, or null if nobody asked for the call at all. */
  readonly value: string | null
  /** The first result that contained the value, or null if the model made it up. */
  readonly source: string | null
  /** One sentence for the person. */
  readonly words: string
  /** The keys that a yes allows for the rest of the task. */
  readonly covers: readonly string[]
}

export interface ToolGateOptions {
  readonly task: {
    /** Everything that the person wrote for this task, and nothing that anybody else wrote. */
    readonly words: string
    /** The instructions that Clawboo or the person gave the agent beforehand, without any text from outside. */
    readonly system?: string
    /** Values with a standing grant of the person: addresses, hosts, accounts, names. */
    readonly granted?: readonly string[]
    /** The agent's name, for the questions. */
    readonly agent?: string
  }
  /** A call of a tool that is not among them counts as changing something. */
  readonly tools: readonly GatedTool[]
  readonly strictness?: Strictness
  readonly state?: GateState
}

export function openToolGate({ task, tools, strictness = 'usual', state }: ToolGateOptions): ToolGate {
  const memory = openMemory(state)
  const person = readPersonWords(task.words, [task.system ?? '', ...(task.granted ?? [])].join('\n'))
  const offered = new Map(tools.map((tool) => [tool.name, tool]))
  const toolOf = ({ tool }: GatedCall): GatedTool => offered.get(tool) ?? { name: tool, isUnknown: true }
  return {
    before(call) {
      const tool = toolOf(call)
      const doubt = doubtAbout(call.args, tool, { memory, person, strictness })
      const effect = effectOfTool(tool)
      if (effect !== 'reads' && effect !== 'opens') memory.mayConfirm = doubt === null
      if (doubt === null) return { kind: 'pass' }
      const question = questionOf(doubt, call, memory.sources[sourceOf(doubt)] ?? null)
      return { kind: memory.denied.has(denialKey(question)) ? 'denied' : 'ask', question }
    },
    after(call, result) {
      if (!result) return
      const effect = effectOfTool(toolOf(call))
      const values = new Set(valuesOfCall(call.args).values.map(({ text }) => traceKey(text)))
      const echo = { values, acts: effect !== 'reads' && effect !== 'opens' }
      readResult(memory, person, placeInWords(call.tool, call.args), result, echo)
    },
    answered(question, isAllowed) {
      memory.mayConfirm = isAllowed
      if (isAllowed) for (const key of question.covers) memory.allowed.add(key)
      else memory.denied.add(denialKey(question))
    },
    state: () => stateOf(memory),
  }

  function sourceOf({ value }: Doubt): number {
    return (value && memory.traces.get(traceKey(value.text))?.source) ?? -1
  }

  function questionOf(
    { effect, value, others, covers }: Doubt,
    { tool }: GatedCall,
    source: string | null,
  ): GateQuestion {
    const words = wordQuestion(task.agent ?? 'The agent', tool, { effect, value, others }, source)
    return { effect, tool, value: value?.text ?? null, source, words, covers }
  }
}

function denialKey({ effect, tool, value, covers }: GateQuestion): string {
  return JSON.stringify([effect, tool, value, covers])
}
