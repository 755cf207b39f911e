import type { OfferedTool } from '../message.ts'
import type { ScriptStep } from '../script.ts'
import { documentText } from './documents.ts'
import type { Task } from './read-task.ts'

/** One tool call that the persona plans. */
export type Action =
  | { readonly does: 'write'; readonly path: string; readonly content: string }
  | { readonly does: 'read'; readonly path: string }
  | { readonly does: 'run'; readonly command: string }

/** The possible names of each action's tool and arguments, most common first. */
const NAMES: Readonly<Record<Action['does'], readonly string[]>> = {
  write: ['write', 'write_file', 'create_file'],
  read: ['read', 'read_file'],
  run: ['exec', 'bash', 'shell', 'run_command'],
}
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  path: ['path', 'file_path', 'filePath', 'filename'],
  content: ['content', 'contents', 'text'],
  command: ['command', 'cmd'],
}

/** The actions of a task for which tools are offered. */
export function actionsFor(task: Task, additions: readonly string[], tools: readonly OfferedTool[]): Action[] {
  return wantedActions(task, additions).filter((action) => toolFor(action, tools) !== undefined)
}

export function callStep(action: Action, tools: readonly OfferedTool[]): ScriptStep | null {
  const tool = toolFor(action, tools)
  if (!tool) return null
  const { does, ...values } = action
  const input = Object.entries(values).map(([name, value]) => [argumentName(name, tool), value])
  return { callTool: tool.name, with: Object.fromEntries(input) as Record<string, unknown> }
}

function wantedActions(task: Task, additions: readonly string[]): Action[] {
  switch (task.type) {
    case 'document': {
      const content = documentText(task.kind, task.topic, additions)
      const readBack: Action[] = task.kind === 'note' ? [] : [{ does: 'read', path: task.path }]
      return [{ does: 'write', path: task.path, content }, ...readBack]
    }
    case 'command':
      return [{ does: 'run', command: task.command }]
    case 'read':
      return [{ does: 'read', path: task.path }]
    default:
      return []
  }
}

function toolFor(action: Action, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const names = NAMES[action.does]
  return names.map((name) => tools.find((tool) => tool.name.toLowerCase() === name)).find((tool) => tool !== undefined)
}

function argumentName(name: string, tool: OfferedTool): string {
  const properties = (tool.inputSchema as { properties?: object } | undefined)?.properties ?? {}
  return ARGUMENTS[name]?.find((candidate) => Object.hasOwn(properties, candidate)) ?? name
}
