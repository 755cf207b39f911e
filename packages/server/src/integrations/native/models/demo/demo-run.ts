import { isPass } from '@clawboo/core/team-chat'
import type { ScriptedMessage } from '@clawboo/scripted-model'

/** One call of a tool that has its answer. */
export interface DoneCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
  readonly failed: boolean
}

/** One run of a conversation: its prompt, and what happened since. */
export interface DemoRun {
  readonly prompt: string
  /** Everything behind the prompt. */
  readonly messages: readonly ScriptedMessage[]
  readonly calls: readonly DoneCall[]
  /** What was said to it while it ran. */
  readonly added: readonly string[]
  /** Whether it came to its last words. */
  readonly isOver: boolean
}

/** The runs of a conversation whose prompts the host wrote, oldest first. What came before the first is left out. */
export function demoRuns(
  messages: readonly ScriptedMessage[],
  isPrompt: (text: string) => boolean,
): readonly [DemoRun, ...DemoRun[]] | null {
  const starts = messages.flatMap(({ role, text }, at) => (role === 'user' && isPrompt(text) ? [at] : []))
  const runs = starts.map((start, at) => runOf(messages[start]!.text, messages.slice(start + 1, starts[at + 1])))
  return runs.length === 0 ? null : (runs as [DemoRun, ...DemoRun[]])
}

function runOf(prompt: string, messages: readonly ScriptedMessage[]): DemoRun {
  const asked = messages.flatMap(({ role, toolCalls }) => (role === 'assistant' ? (toolCalls ?? []) : []))
  const calls = asked.flatMap(({ id, tool, input }): DoneCall[] => {
    const answer = messages.find(({ role, callId }) => role === 'tool' && callId === id)
    return answer ? [{ tool, input: objectIn(input), result: answer.text, failed: answer.isError === true }] : []
  })
  const last = messages.at(-1)
  return {
    ...{ prompt, messages, calls },
    added: messages.filter(({ role }) => role === 'user').map(({ text }) => text),
    isOver: last?.role === 'assistant' && !last.toolCalls?.length,
  }
}

/** Whether it said something that others could read. */
export function hasSpoken({ messages, calls }: DemoRun): boolean {
  return (
    calls.some(({ tool, failed }) => tool === 'team_chat_post' && !failed) ||
    messages.some(({ role, text, toolCalls }) => role === 'assistant' && !toolCalls?.length && !isPass(text))
  )
}

/** The object in a JSON text; empty when there is none. */
export function objectIn(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
