import { type OfferedTool, personaTurn, type ScriptedMessage, type ScriptTurn } from '@clawboo/scripted-model'
import { type DemoRun, hasSpoken, objectIn } from './demo-run.ts'
import { quoted, SCRIPTED_NOTE } from './demo-words.ts'
import { newWords, type Words } from './new-words.ts'
import { PASS } from './play-leader.ts'
import { type RoomTurn, readAddedWords } from './read-room-prompt.ts'

/**
 * A turn of one who does not lead, or leads nobody. What a person asks of it it does at once; of a task that waits for it
 * it says so. Work that has begun is told of where it is done, so then it passes.
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
  if (!turn.because.includes('given') || !tools.some(({ name }) => name === 'list_tasks')) return PASS
  const listed = run.calls.find(({ tool }) => tool === 'list_tasks')
  if (!listed) return [{ callTool: 'list_tasks', with: { mine: true, status: 'todo' } }]
  const { tasks } = objectIn(listed.result) as { readonly tasks?: readonly { readonly title?: unknown }[] }
  const [waiting] = listed.failed || !Array.isArray(tasks) ? [] : tasks
  if (!waiting) return PASS
  return withNote([{ say: `I take ${quoted(String(waiting.title))} up next.` }], isFirst)
}

/** As in a conversation: the usual persona, with nothing but the person's words. */
function playAlone(words: readonly Words[], run: DemoRun, tools: readonly OfferedTool[]): ScriptTurn {
  const said = words.map(({ text }) => text).join('\n')
  // The note at the end says what it is; without an answer before, the persona would say it too.
  const begun: ScriptedMessage = { role: 'assistant', text: 'Ready.' }
  const since = run.messages.map((message) =>
    message.role === 'user' ? { ...message, text: readAddedWords(message.text) } : message,
  )
  return personaTurn([begun, { role: 'user', text: said }, ...since], tools)
}

function withQuote(steps: ScriptTurn, words: readonly Words[]): ScriptTurn {
  const quote = words.map(({ text }) => quoted(text)).join(' ')
  return inLastWords(steps, (said) => `${quote}\n\n${said}`)
}

function withNote(steps: ScriptTurn, isFirst: boolean): ScriptTurn {
  return isFirst ? inLastWords(steps, (said) => `${said}\n\n${SCRIPTED_NOTE}`) : steps
}

/** Only last words become a post. */
function inLastWords(steps: ScriptTurn, change: (said: string) => string): ScriptTurn {
  if (steps.some((step) => 'callTool' in step)) return steps
  return steps.map((step) => ('say' in step ? { ...step, say: change(step.say) } : step))
}
