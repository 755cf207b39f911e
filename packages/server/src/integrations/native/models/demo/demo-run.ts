import { isPass } from '@clawboo/core/team-chat'
import type { ScriptedMessage } from '@clawboo/scripted-model'

/** One tool call with its result. */
export interface DoneCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
  readonly failed: boolean
}

/** One run of a conversation: its prompt and the messages since. */
export interface DemoRun {
  readonly prompt: string
  /** The messages after the prompt. */
  readonly messages: readonly ScriptedMessage[]
  readonly calls: readonly DoneCall[]
  /** The messages that arrived during the run. */
  readonly added: readonly string[]
  /** Whether the run has given its final answer. */
  readonly isOver: boolean
}

/** The runs of a conversation with prompts of the host, oldest first. Earlier messages are left out. */
export function demoRuns(
  messages: readonly ScriptedMessage[],
  isPrompt: (text: string) => boolean,
): readonly [DemoRun, ...DemoRun[]] | null {
  const starts = messages.flatMap(({ role, text }, at) => (role === 'user' && isPrompt(text) ? [at] : []))
  const runs = starts.map((start, at) => runOf(messages[start]!.text, messages.slice(start + 1, starts[at + 1])))
  return runs.length === 0 ? null : (runs as [DemoRun, ...DemoRun[]])
}

function runOf(prompt: string, messages: readonly ScriptedMessage[]): DemoRun {
  const requested = messages.flatMap(({ role, toolCalls }) => (role === 'assistant' ? (toolCalls ?? []) : []))
  const calls = requested.flatMap(({ id, tool, input }): DoneCall[] => {
    const answer = messages.find(({ role, callId }) => role === 'tool' && callId === id)
    return answer ? [{ tool, input: objectIn(input), result: answer.text, failed: answer.isError === true }] : []
  })
  const last = messages.at(-1)
  return {
    prompt,
    messages,
    calls,
    added: messages.filter(({ role }) => role === 'user').map(({ text }) => text),
    isOver: last?.role === 'assistant' && !last.toolCalls?.length,
  }
}

/** Whether the run posted something that others can read. */
export function hasSpoken({ messages, calls }: DemoRun): boolean {
  return (
    calls.some(({ tool, failed }) => tool === 'team_chat_post' && !failed) ||
    messages.some(({ role, text, toolCalls }) => role === 'assistant' && !toolCalls?.length && !isPass(text))
  )
}

/** The object in a JSON text, or an empty object. */
export function objectIn(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
