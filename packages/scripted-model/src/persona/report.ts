import { textHash } from '../text-hash.ts'
import { documentText } from './documents.ts'
import { shortened, type Task } from './read-task.ts'
import type { DoneAction, RunSoFar } from './run-so-far.ts'

/** The last text of a run: what was done, what was not, and what to try next. */
export function reportOf(run: RunSoFar): string {
  if (run.done.length === 0) return run.stopped ? 'Nothing was done yet.' : answerWithoutTools(run.task, run.text)
  const reported = run.done.filter((one, at) => !run.done.slice(at + 1).some((later) => repeats(later, one)))
  const lines = reported.map((one) => lineOf(one, reported))
  return `${lines.join('\n')}\n\n${lastWords(run)}`
}

function lastWords(run: RunSoFar): string {
  if (run.done.some((one) => one.failed)) return 'I did not try again. You can allow it or change it, and ask me again.'
  if (run.stopped) return 'The rest is left as it is.'
  return chosen(run.task.type === 'document' ? AFTER_WRITING : AFTER_LOOKING, run.text)
}

const AFTER_WRITING = [
  'Next you could say “list the files”, or open the file and change it.',
  'To get a considered text instead of a template, choose a real model in the settings.',
  'You can write to me while I work; try it with “plan our launch”.',
]
const AFTER_LOOKING = [
  'Ask me for a plan, a list or a note, and watch the steps.',
  'Next you could say “write a haiku about the sea”.',
]

/** Mentions a file that was written twice only once, in its final state. */
const repeats = (later: DoneAction, one: DoneAction) =>
  later.action.does === one.action.does &&
  'path' in later.action &&
  'path' in one.action &&
  later.action.path === one.action.path

function lineOf({ action, result, failed }: DoneAction, reported: readonly DoneAction[]): string {
  const lines = result.split('\n').filter((line) => line.trim() !== '')
  const why = shortened(lines[0] ?? 'no reason was given', 160)
  const count = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`
  switch (action.does) {
    case 'write':
      if (failed) return `- I could not write \`${action.path}\`: ${why}.`
      return `- I wrote \`${action.path}\`:\n\n${quoted(action.content)}\n`
    case 'read':
      if (failed) return `- I could not read \`${action.path}\`: ${why}.`
      if (reported.some((one) => one.action.does === 'write' && one.action.path === action.path))
        return `- I read \`${action.path}\` back: ${count} with text.`
      return `- I read \`${action.path}\`:\n\n${quoted(result)}\n`
    default:
      if (failed) return `- \`${action.command}\` did not run: ${why}.`
      return `- I ran \`${action.command}\`. It printed ${count}:\n\n${quoted(result)}\n`
  }
}

function quoted(text: string): string {
  const lines = text.trimEnd().split('\n')
  const shown = lines.slice(0, 20).map((line) => `> ${line.slice(0, 200)}`.trimEnd())
  return [...shown, ...(lines.length > shown.length ? [`> … ${lines.length - shown.length} more`] : [])].join('\n')
}

const GREETINGS = [
  'Hello! Ask me for a haiku, a list or a small plan, and I write it into a file.',
  'Hi! Try “make a plan for our launch” and write to me while I work on it.',
  'Good to see you. “List the files” is a quick first thing to try.',
]

const UNSURE = [
  'my rules do not cover that. I can write a note, a list, a plan, a poem or a letter to a file, read a file, or list the files.',
  'that is beyond my few rules. Try “write a list about …”, “plan our …”, “read notes.md” or “list the files”.',
]

function answerWithoutTools(task: Task, text: string): string {
  switch (task.type) {
    case 'document':
      return `I have no tool here that writes files, so here it is:\n\n${quoted(documentText(task.kind, task.topic, []))}`
    case 'command':
      return `I would run \`${task.command}\` for this, but I have no tool here that runs commands.`
    case 'read':
      return `I would read \`${task.path}\` for this, but I have no tool here that reads files.`
    case 'command-refused':
      return `I only run a few harmless commands, such as \`ls\`, \`pwd\` and \`date\`; \`${shortened(task.command, 60)}\` is none of them. A real model can be given more room.`
    case 'about':
      return 'I show what an agent can do here, with simple rules in place of a model: I write small files, read them, list the folder, take what you add while I work, and report. Choose a real model in the settings when you want real answers.'
    case 'greeting':
      return chosen(GREETINGS, text)
    case 'thanks':
      return 'You’re welcome. Ask me for the next small thing whenever you like.'
    case 'stop':
      return 'There is nothing to stop; I am not working on anything.'
    case 'question':
      return `You asked: “${shortened(text)}” I cannot know that: I look nothing up and do not think. A real model, chosen in the settings, can answer it.`
    default:
      return text.trim() === ''
        ? 'I got no words to work with.'
        : `I read “${shortened(text)}”, but ${chosen(UNSURE, text)}`
  }
}

function chosen(choices: readonly string[], text: string): string {
  return choices[textHash(text) % choices.length]!
}
