import { readFences } from './read-fences.ts'

/** An attempt at a task, parsed from the host's prompt. */
export interface TaskPrompt {
  readonly title: string
  readonly body: string
  /** Comments of people and agents since the previous attempt. */
  readonly comments: readonly string[]
  /** Whether the run works on a copy of the team's project, which the host compares. */
  readonly hasWorktree: boolean
}

export function isTaskPrompt(text: string): boolean {
  return text.startsWith("Work on this task of your team's board now.")
}

export function readTaskPrompt(prompt: string): TaskPrompt {
  const { fences, outside } = readFences(prompt)
  const textOf = (label: string) => fences.find((fence) => fence.label === label)?.text ?? ''
  return {
    title: textOf('The task is called'),
    body: textOf('The description of the task'),
    comments: fences.filter(({ label }) => /^Comment \d+, from (?!the host)/.test(label)).map(({ text }) => text),
    hasWorktree: outside.includes('You work in a folder for this task only'),
  }
}
