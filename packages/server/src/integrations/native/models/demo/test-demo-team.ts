import type { OfferedTool, ScriptedMessage, ScriptedToolCall } from '@clawboo/scripted-model'
import { type TaskBrief, taskPrompt } from '../../../../executor/dispatch/task-prompt.ts'
import { messagePrompt, type RoomBrief, roomPrompt } from '../../../../team-chat/turn/room-prompt.ts'
import { demoPersona } from './demo-persona.ts'

export const TOOLS: readonly OfferedTool[] = [
  'read',
  'write',
  'exec',
  'create_task',
  'get_task',
  'list_tasks',
  'report_done',
  'report_blocked',
  'team_chat_post',
  'comment_task',
].map((name) => ({ name }))

const MEMBERS: RoomBrief['members'] = [
  { id: 'a-moss', name: 'Moss', isPerson: false, isLeader: false },
  { id: 'b-pip', name: 'Pip', isPerson: false, isLeader: true },
  { id: 'c-wren', name: 'Wren', isPerson: false, isLeader: false },
  { id: 'd-olga', name: 'Olga', isPerson: true, isLeader: false },
]

/** The host's prompt for a turn in the room. */
export function roomTurn(agentId: string, brief: Partial<RoomBrief> = {}): string {
  return roomPrompt({
    teamName: 'Demo team',
    agentId,
    members: MEMBERS,
    turn: 1,
    bound: 5,
    because: [],
    messages: [],
    posts: [],
    leftOut: 0,
    summary: null,
    tools: TOOLS.map(({ name }) => name),
    passToken: 'NO_REPLY',
    ...brief,
  })
}

export function fromOlga(...bodies: string[]): RoomBrief['messages'] {
  return bodies.map((body) => ({ from: 'Olga', body }))
}

export const added = (body: string) => messagePrompt('Olga', body)

export function taskTurn(title: string, body = '', brief: Partial<TaskBrief> = {}): string {
  return taskPrompt({
    task: { title, body, changesFiles: true },
    attempt: 1,
    previous: null,
    comments: [],
    worktree: { isResumed: false, notes: [] },
    checkCommand: null,
    canReport: true,
    ...brief,
  })
}

export interface PlayOptions {
  readonly tools?: readonly OfferedTool[]
  /** Answers a tool call. */
  readonly result?: (call: {
    readonly tool: string
    readonly input: Record<string, unknown>
  }) => Partial<ScriptedMessage>
  /** Messages that arrive after the nth answer of the whole conversation, counted from 0. */
  readonly adds?: Readonly<Record<number, string>>
}

export interface Call {
  readonly tool: string
  readonly input: Record<string, unknown>
}

/** The result of one run. */
export interface Played {
  readonly calls: readonly Call[]
  readonly last: string
  /** All texts of the run, including those before the last. */
  readonly texts: readonly string[]
}

const MAX_ROUNDS = 60

/** Plays the host's prompts one after the other in one conversation, like the agent loop. */
export function playRuns(prompts: readonly string[], { tools = TOOLS, result, adds = {} }: PlayOptions = {}): Played[] {
  const messages: ScriptedMessage[] = [{ role: 'system', text: 'You are an agent.' }]
  let answers = 0
  return prompts.map((prompt) => {
    messages.push({ role: 'user', text: prompt })
    const calls: Call[] = []
    const texts: string[] = []
    for (let round = 0; ; round++) {
      if (round > MAX_ROUNDS) throw new Error(`no end: ${JSON.stringify(calls).slice(0, 2000)}`)
      const steps = demoPersona(messages, tools)
      const text = steps.map((step) => ('say' in step ? step.say : '')).join('')
      const requested = steps.flatMap((step, at): ScriptedToolCall[] =>
        'callTool' in step
          ? [{ id: `${messages.length}-${at}`, tool: step.callTool, input: JSON.stringify(step.with ?? {}) }]
          : [],
      )
      messages.push({ role: 'assistant', text, toolCalls: requested })
      texts.push(text)
      for (const { id, tool, input } of requested) {
        const call = { tool, input: JSON.parse(input) as Record<string, unknown> }
        calls.push(call)
        messages.push({ role: 'tool', text: 'ok', callId: id, isError: false, ...result?.(call) })
      }
      const more = adds[answers++]
      if (more !== undefined) messages.push({ role: 'user', text: more })
      else if (requested.length === 0) return { calls, last: text, texts }
    }
  })
}

/** The tools of a board that stores its tasks. `end` ends a task. */
export function demoBoard() {
  const tasks: {
    id: string
    title: string
    body: string
    status: string
    evidence: unknown[]
    reason: string | null
  }[] = []
  return {
    tasks,
    end(id: string, status: string, evidence: unknown[] = [], reason: string | null = null) {
      Object.assign(tasks.find((task) => task.id === id)!, { status, evidence, reason })
    },
    result({ tool, input }: Call): Partial<ScriptedMessage> {
      if (tool === 'create_task') {
        const task = {
          id: `t${tasks.length + 1}`,
          title: String(input.title),
          body: String(input.body),
          status: 'todo',
        }
        tasks.push({ ...task, evidence: [], reason: null })
        return { text: JSON.stringify({ task }) }
      }
      const task = tasks.find(({ id }) => id === input.id)
      if (tool !== 'get_task' || !task) return { text: '{}' }
      const { body, evidence, ...line } = task
      return { text: JSON.stringify({ notice: 'Data.', task: line, body, evidence }) }
    },
  }
}
