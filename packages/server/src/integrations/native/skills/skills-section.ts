import type { Skill, SkillLocation } from './skill.ts'

export interface SkillsBudget {
  readonly maxSkills: number
  readonly maxChars: number
}

export const SKILLS_BUDGET: SkillsBudget = { maxSkills: 150, maxChars: 18_000 }

export interface SkillsSection {
  /** '' = no skills. */
  readonly text: string
  readonly form: 'full' | 'compact'
  readonly shown: readonly string[]
  /** Skills that did not fit. */
  readonly cut: readonly Pick<Skill, 'name' | 'location'>[]
  /** A line for the person; null = every skill is listed with its description. */
  readonly notice: string | null
}

const INTRODUCTION = [
  'A skill is a folder with written instructions for one kind of task; these are the ones you have.',
  'Read the SKILL.md of a skill with the read tool when what you are asked for matches its description.',
  'A relative path in a skill, and {baseDir}, start at the folder of its SKILL.md; use the absolute path in any command that you run.',
] as const

/** The order in which skills are kept. Bundled skills are cut first, the agent's own last. */
const KEPT_FIRST: readonly SkillLocation[] = ['workspace', 'project', 'personal', 'managed', 'extra', 'bundled']

type Form = (skill: Skill) => string

/** Lists the skills for the prompt within the budget: with descriptions, else without them, else as many as fit. */
export function renderSkillsSection(skills: readonly Skill[], budget: SkillsBudget = SKILLS_BUDGET): SkillsSection {
  const offered = skills.filter((skill) => skill.modelInvocable).sort(byImportance)
  const [full, compact] = FORMS
  const within = offered.slice(0, budget.maxSkills)
  const everything = within.length === offered.length
  const asFull = render(within, full, everything ? null : countLine(within.length, offered.length))
  if (within.length === 0 && offered.length === 0) return section('', 'full', within, offered)
  if (asFull.length <= budget.maxChars) return section(asFull, 'full', within, offered)
  const length = longestFit(within.length, (count) => {
    const line = count === offered.length ? COMPACT_LINE : countLine(count, offered.length)
    return render(within.slice(0, count), compact, line).length <= budget.maxChars
  })
  const kept = within.slice(0, length)
  const line = length === offered.length ? COMPACT_LINE : countLine(length, offered.length)
  return section(length === 0 ? '' : render(kept, compact, line), 'compact', kept, offered)
}

const COMPACT_LINE = 'The descriptions did not fit; go by the names.'

function countLine(shown: number, all: number): string {
  return `The list is incomplete because it did not fit: included ${shown} of ${all}.`
}

const FORMS: readonly [full: Form, compact: Form] = [
  ({ name, description, file }) =>
    wrap(field('name', name) + field('description', description) + field('location', file)),
  ({ name, file }) => wrap(field('name', name) + field('location', file)),
]

function field(tag: string, value: string): string {
  return `    <${tag}>${escapeXml(value)}</${tag}>\n`
}

function wrap(fields: string): string {
  return `  <skill>\n${fields}  </skill>\n`
}

function render(skills: readonly Skill[], form: Form, line: string | null): string {
  const byName = [...skills].sort((one, other) => (one.name < other.name ? -1 : 1))
  const head = [...INTRODUCTION, ...(line === null ? [] : [line]), '', '<available_skills>', ''].join('\n')
  return `${head}${byName.map(form).join('')}</available_skills>`
}

function section(
  text: string,
  form: SkillsSection['form'],
  kept: readonly Skill[],
  offered: readonly Skill[],
): SkillsSection {
  const cut = offered.slice(kept.length).map(({ name, location }) => ({ name, location }))
  const names = cut.map(({ name }) => name).join(', ')
  const missing =
    cut.length === 0 ? null : `${kept.length} of ${offered.length} skills are in the prompt; left out: ${names}`
  const short = form === 'compact' && kept.length > 0 ? 'skills are in the prompt without their descriptions' : null
  const notice = [missing, short].filter((part) => part !== null).join('; ') || null
  return { text, form, shown: kept.map(({ name }) => name).sort(), cut, notice }
}

/** The largest count that fits, assuming that every smaller count fits too. */
function longestFit(most: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

function byImportance(one: Skill, other: Skill): number {
  const rank = KEPT_FIRST.indexOf(one.location) - KEPT_FIRST.indexOf(other.location)
  return rank !== 0 ? rank : one.name < other.name ? -1 : 1
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  }
  return text.replace(/[\p{Cc}\s]+/gu, ' ').replace(/[&<>"']/g, (character) => entities[character]!)
}
