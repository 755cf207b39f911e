import type { OfferedTool, ScriptedMessage } from '../message.ts'
import type { ScriptStep, ScriptTurn } from '../script.ts'
import { textHash } from '../text-hash.ts'
import { type Action, callStep } from './offered-actions.ts'
import { reportOf } from './report.ts'
import { type AddedWords, type RunSoFar, runSoFar } from './run-so-far.ts'

/**
 * The demo model's reply to a prompt without a script. It depends only on the conversation and the offered tools, calls
 * only those, and ends every run.
 */
export function personaTurn(messages: readonly ScriptedMessage[], tools: readonly OfferedTool[]): ScriptTurn {
  const run = runSoFar(messages, tools)
  const words: string[] = []
  if (run.isFirstAnswer) words.push(INTRODUCTION)
  words.push(...run.added.map(acknowledged))
  const next = run.answers < MOST_ANSWERS ? run.queue[0] : undefined
  const call = next ? callStep(next, tools) : null
  if (!next || !call) return [{ say: [...words, reportOf(run)].join('\n\n') }]
  const thought: ScriptStep[] = run.done.length === 0 && run.added.length === 0 ? [{ think: thoughtOf(run) }] : []
  return [...thought, { say: [...words, announced(next, run)].join('\n\n') }, call]
}

/** Ends the run of a program that adds new work to every request. */
const MOST_ANSWERS = 20

export const INTRODUCTION =
  'I’m Boo, the scripted demo model. I am not an AI: I follow a few written rules, so you can try everything here without a key.'

function thoughtOf({ task, queue }: RunSoFar): string {
  const steps = queue.map((action) =>
    action.does === 'run' ? `run ${action.command}` : `${action.does} ${action.path}`,
  )
  return `This looks like a ${task.type} task. My steps: ${steps.join(', then ')}, then report.`
}

const EFFECTS: Readonly<Record<AddedWords['effect'], string>> = {
  stop: 'I’ll stop here.',
  instead: 'I’ll do that instead.',
  next: 'I’ll do that next.',
  'noted-in-file': 'I’ll put it into the file.',
  noted: 'I’ll keep it in mind, but my rules have no action for it.',
}

function acknowledged({ text, effect }: AddedWords): string {
  return `You added: “${text}”. ${EFFECTS[effect]}`
}

const OPENINGS = ['Let me start:', 'Right away:', 'Here we go:', 'First step:', 'Good, I begin:']

function announced(action: Action, run: RunSoFar): string {
  const opening = run.done.length === 0 ? chosen(OPENINGS, run.text) : 'Next:'
  switch (action.does) {
    case 'write':
      return `${opening} I write \`${action.path}\`.`
    case 'read':
      return run.done.some((one) => 'path' in one.action && one.action.path === action.path)
        ? `${opening} I read \`${action.path}\` back to check it.`
        : `${opening} I read \`${action.path}\`.`
    default:
      return `${opening} I run \`${action.command}\`. It changes nothing.`
  }
}

function chosen(choices: readonly string[], text: string): string {
  return choices[textHash(text) % choices.length]!
}
