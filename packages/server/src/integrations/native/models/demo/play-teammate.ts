import { type OfferedTool, personaTurn, type ScriptedMessage, type ScriptTurn } from '@clawboo/scripted-model'
import { type DemoRun, hasSpoken, objectIn } from './demo-run.ts'
import { quoted, SCRIPTED_NOTE } from './demo-words.ts'
import { newWords, type Words } from './new-words.ts'
import { PASS } from './play-leader.ts'
import { type RoomTurn, readAddedWords } from './read-room-prompt.ts'

/**
 * The turn of an agent that does not lead, or leads nobody. It does what a person asks at once, and announces a task that
 * waits for it. It passes once work has started, because the task itself reports that.
 */
export function playTeammate(
  turn: RoomTurn,
  run: DemoRun,
  earlier: readonly DemoRun[],
  tools: readonly OfferedTool[],
): ScriptTurn {
  const isFirst = !earlier.some(hasSpoken)
  const words = newWords(turn, { ...run, added: [] }, earlier)
  if (words.length > 0) return withNote(withQuote(playAlone(words, run, tools), words), isFirst)
  if (!turn.because.includes('assigned') || !tools.some(({ name }) => name === 'list_tasks')) return PASS
  const listed = run.calls.find(({ tool }) => tool === 'list_tasks')
  if (!listed) return [{ callTool: 'list_tasks', with: { mine: true, status: 'todo' } }]
  const { tasks } = objectIn(listed.result) as { readonly tasks?: readonly { readonly title?: unknown }[] }
  const [waiting] = listed.failed || !Array.isArray(tasks) ? [] : tasks
  if (!waiting) return PASS
  return withNote([{ say: `I will work on ${quoted(String(waiting.title))} next.` }], isFirst)
}

/** The usual persona, as in a conversation, with only the person's messages. */
function playAlone(words: readonly Words[], run: DemoRun, tools: readonly OfferedTool[]): ScriptTurn {
  const text = words.map((message) => message.text).join('\n')
  // The persona introduces itself in a new conversation, but the note at the end already does that.
  const opening: ScriptedMessage = { role: 'assistant', text: 'Ready.' }
  const since = run.messages.map((message) =>
    message.role === 'user' ? { ...message, text: readAddedWords(message.text) } : message,
  )
  return personaTurn([opening, { role: 'user', text }, ...since], tools)
}

function withQuote(steps: ScriptTurn, words: readonly Words[]): ScriptTurn {
  const quote = words.map(({ text }) => quoted(text)).join(' ')
  return inFinalAnswer(steps, (answer) => `${quote}\n\n${answer}`)
}

function withNote(steps: ScriptTurn, isFirst: boolean): ScriptTurn {
  return isFirst ? inFinalAnswer(steps, (answer) => `${answer}\n\n${SCRIPTED_NOTE}`) : steps
}

/** Changes only a final answer, which becomes a post. */
function inFinalAnswer(steps: ScriptTurn, change: (answer: string) => string): ScriptTurn {
  if (steps.some((step) => 'callTool' in step)) return steps
  return steps.map((step) => ('say' in step ? { ...step, say: change(step.say) } : step))
}
