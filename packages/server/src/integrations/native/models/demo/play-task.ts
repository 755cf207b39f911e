import { type OfferedTool, personaTurn, readTask, type ScriptedMessage, type ScriptTurn } from '@clawboo/scripted-model'
import type { DemoRun } from './demo-run.ts'
import { oneLine, quoted, reasonWords, SCRIPTED_NOTE, wordsOfTask } from './demo-words.ts'
import { readTaskPrompt, type TaskPrompt } from './read-task-prompt.ts'

/**
 * An attempt at a task: writes a small document like the persona, including every comment, then reports and posts to the
 * room. The server decides whether the task is done.
 */
export function playTask(run: DemoRun, tools: readonly OfferedTool[]): ScriptTurn {
  const task = readTaskPrompt(run.prompt)
  const work = personaTurn(asConversation(task, run), tools)
  if (work.some((step) => 'callTool' in step)) return work
  const offers = (name: string) => tools.some((tool) => tool.name === name)
  const isDue = (name: string) => offers(name) && !run.calls.some(({ tool }) => tool === name)
  const outcome = outcomeOf(task, run)
  const report = outcome.blockedBy === null ? 'report_done' : 'report_blocked'
  const reportInput = outcome.blockedBy === null ? { summary: outcome.words } : { reason: outcome.blockedBy }
  const calls = [
    ...(isDue(report) ? [{ callTool: report, with: reportInput }] : []),
    ...(isDue('team_chat_post')
      ? [{ callTool: 'team_chat_post', with: { body: `${outcome.words}\n\n${SCRIPTED_NOTE}` } }]
      : []),
  ]
  return calls.length > 0 ? calls : [{ say: outcome.words }]
}

/** The task as a person's message, with each comment as a message after the first step. */
function asConversation(task: TaskPrompt, { messages }: DemoRun): ScriptedMessage[] {
  const words = wordsOfTask(task)
  const topic = oneLine(words, 60).replace(/[^\p{L}\p{N} '-]+/gu, ' ')
  const ways = [words, `Write a page about ${topic}`]
  const text = ways.find((way) => readTask(way).type === 'document') ?? 'Write a page about what was said'
  const answered = messages.findIndex(({ role }) => role === 'tool') + 1
  const comments = task.comments.map((comment): ScriptedMessage => ({ role: 'user', text: comment }))
  const later = answered === 0 ? messages : [...messages.slice(0, answered), ...comments, ...messages.slice(answered)]
  return [{ role: 'user', text }, ...later]
}

function outcomeOf(
  { title, hasWorktree }: TaskPrompt,
  { calls }: DemoRun,
): { words: string; blockedBy: string | null } {
  const writes = calls.filter(({ tool }) => tool.toLowerCase().startsWith('write'))
  const last = writes.at(-1)
  const name = quoted(title)
  const blockedBy = last ? (last.failed ? reasonWords(last.result) : null) : 'I have no tool to write files'
  if (!last || blockedBy !== null) return { words: `${name} is blocked: ${blockedBy}.`, blockedBy }
  const path = String(Object.values(last.input)[0] ?? 'a file')
  const place = hasWorktree ? 'among the changes of the task' : 'in my own folder'
  return { blockedBy, words: `For ${name} I wrote \`${path}\`. It is ${place}.` }
}
