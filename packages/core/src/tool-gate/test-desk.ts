import { type GatedCall, type GateState, openToolGate, type Strictness, type ToolGate, type Verdict } from './index.ts'
import type { GatedTool } from './tool-effect.ts'

const tool = (name: string, description: string, ...parameters: string[]): GatedTool => ({
  name,
  description,
  parameters: { type: 'object', properties: Object.fromEntries(parameters.map((each) => [each, { type: 'string' }])) },
})

/** The tools of an invented office. */
export const DESK_TOOLS: readonly GatedTool[] = [
  tool('get_messages', 'Returns the messages in the inbox.'),
  tool('search_items', 'Searches the catalogue.', 'query'),
  tool('read_document', 'Reads a document.', 'path'),
  tool('fetch_page', 'Returns the content of a page.', 'url'),
  tool('visit_page', 'Visits a page to read it or to trigger an action.', 'url'),
  tool('submit_form', 'Fills in and submits a form.', 'url', 'values'),
  tool('send_message', 'Sends a message.', 'recipients', 'subject', 'body'),
  tool('send_money', 'Sends money.', 'recipient', 'amount', 'subject', 'date'),
  tool('order_item', 'Orders an item.', 'item_id', 'quantity'),
  tool('delete_item', 'Deletes an item.', 'item_id'),
  tool('delete_path', 'Deletes a file or a folder.', 'path'),
  tool('write_document', 'Writes a document.', 'path', 'content'),
  tool('download_file', 'Downloads a file.', 'url', 'folder'),
  tool('create_event', 'Creates a calendar event.', 'title', 'start_time', 'participants'),
  tool('update_password', 'Changes the password.', 'password'),
  tool('verify_transaction', 'Confirms a transaction with a code.', 'code'),
  tool('run_command', 'Runs a command.', 'command'),
]

export interface Desk {
  readonly gate: ToolGate
  /** Judges a call without answering. */
  judge(tool: string, args: unknown): Verdict['kind']
  ask(tool: string, args: unknown): Extract<Verdict, { question: unknown }>['question']
  read(tool: string, args: unknown, result: string): void
}

export function openDesk(
  words: string,
  more: { state?: GateState; strictness?: Strictness; granted?: string[] } = {},
): Desk {
  const { granted, ...options } = more
  const task = { words, system: 'You work for Robin Vale.', agent: 'Kit', granted }
  const gate = openToolGate({ task, tools: DESK_TOOLS, ...options })
  const call = (name: string, args: unknown): GatedCall => ({ tool: name, args })
  return {
    gate,
    judge: (name, args) => gate.before(call(name, args)).kind,
    ask(name, args) {
      const verdict = gate.before(call(name, args))
      if (verdict.kind === 'pass') throw new Error(`${name} passed without a question`)
      return verdict.question
    },
    read: (name, args, result) => gate.after(call(name, args), result),
  }
}
