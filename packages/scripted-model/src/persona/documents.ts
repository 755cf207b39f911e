import type { DocumentKind } from './read-task.ts'

/**
 * Returns the text of a small document. The text states that it comes from a template, so that no reader takes it for a
 * model's answer.
 */
export function documentText(kind: DocumentKind, topic: string, additions: readonly string[]): string {
  const added =
    additions.length === 0 ? '' : `\n## Added on the way\n\n${additions.map((text) => `- ${text}`).join('\n')}\n`
  // A note contains the person's own words.
  if (kind === 'note') return BODIES.note(topic) + added
  return `${BODIES[kind](topic)}${added}\n_Made by the scripted demo Boo from a template._\n`
}

const BODIES: Readonly<Record<DocumentKind, (topic: string) => string>> = {
  haiku: (topic) => `# ${titled(topic)}\n\nA quiet first line,\nthen a word on ${topic}:\nthe page is awake.\n`,
  poem: (topic) =>
    `# ${titled(topic)}\n\nOne line to begin it,\none line to begin;\nput ${topic} within it\nand let the day in.\n`,
  story: (topic) =>
    `# A short story: ${topic}\n\nOnce there was somebody who cared about ${topic}.\nOn Monday it was only an idea. On Tuesday somebody wrote it down.\nBy Friday it had a name, a place and three people who asked about it.\n`,
  letter: (topic) =>
    `Subject: ${titled(topic)}\n\nHello,\n\nthis is about ${topic}. In short: what it is, why now, and what we ask of you.\n\n- What: …\n- Why now: …\n- What we ask: …\n\nKind regards\n`,
  list: (topic) =>
    `# ${titled(topic)}\n\n- [ ] Say in one sentence what “done” means\n- [ ] Collect what is already there\n- [ ] Choose the smallest useful next step\n- [ ] Ask one person to look at it\n- [ ] Write down what was learned\n`,
  plan: (topic) =>
    `# Plan: ${topic}\n\n| step | what | who | done when |\n| --- | --- | --- | --- |\n| 1 | Agree on the goal | lead | one sentence is written here |\n| 2 | List what is missing | everyone | the list has an owner for each entry |\n| 3 | Do the riskiest part first | one pair | it works once |\n| 4 | Try it with a friendly user | lead | their three biggest troubles are noted |\n| 5 | Finish and tell people | everyone | the announcement is out |\n\nCheck this plan again after step 3.\n`,
  note: (topic) => `# Note\n\n${topic}\n`,
  page: (topic) =>
    `# ${titled(topic)}\n\nThis page is about ${topic}.\n\n## What we know\n\n- …\n\n## What is open\n\n- …\n`,
}

function titled(topic: string): string {
  return topic.charAt(0).toUpperCase() + topic.slice(1)
}
