import { isObject, type JsonObject } from '../session/entry.ts'
import type { Skill, SkillGate } from './skill.ts'

/** A skill without the place it was found at. */
export type SkillHead = Omit<Skill, 'location' | 'folder' | 'file'>

export type SkillHeadResult = { readonly head: SkillHead } | { readonly problem: string }

const MAX_FRONT_MATTER = 32_768
const MAX_DESCRIPTION = 1024
const MAX_LISTED = 50
/** Our own part of `metadata`. Other products keep the same fields under their own names. */
const OWN_NAMESPACE = 'clawboo'
const GATE_FIELDS = ['always', 'emoji', 'homepage', 'skillKey', 'primaryEnv', 'os', 'requires', 'install'] as const

/** The part between the two `---` lines; null = there is none. */
export function frontMatterOf(text: string): string | null {
  const lines = text.replace(/^\uFEFF/, '')
  const open = /^---[ \t]*\r?\n/.exec(lines)
  if (!open) return null
  const rest = lines.slice(open[0].length - 1)
  const close = /\n---[ \t]*(?:\r?\n|$)/.exec(rest)
  return close ? rest.slice(1, close.index + 1).replaceAll('\r\n', '\n') : null
}

/** Reads what a skill says of itself. Never rejects. */
export async function parseSkillHead(frontMatter: string): Promise<SkillHeadResult> {
  if (frontMatter.length > MAX_FRONT_MATTER)
    return { problem: `its front matter has more than ${MAX_FRONT_MATTER} characters` }
  const fields = (await parseYaml(frontMatter)) ?? parseLines(frontMatter)
  const name = textOf(fields.name)
  const description = textOf(fields.description)
  if (name === '') return { problem: 'it has no name' }
  if (description === '') return { problem: 'it has no description' }
  const metadata = typeof fields.metadata === 'string' ? await parseYaml(fields.metadata) : (fields.metadata ?? {})
  // A gate that cannot be read must not count as open.
  if (!isObject(metadata)) return { problem: 'its metadata cannot be read' }
  const extra = extraOf(metadata)
  return {
    head: {
      name,
      description: description.slice(0, MAX_DESCRIPTION).toWellFormed(),
      homepage: textOf(fields.homepage) || textOf(extra.homepage) || null,
      emoji: textOf(extra.emoji) || null,
      userInvocable: !isSaid(fields['user-invocable'], false),
      modelInvocable: !isSaid(fields['disable-model-invocation'], true),
      commandTool: textOf(fields['command-dispatch']) === 'tool' ? textOf(fields['command-tool']) || null : null,
      gate: gateOf(extra, name),
      install: Array.isArray(extra.install) ? extra.install.slice(0, MAX_LISTED) : [],
      warnings: warningsFor(name, description),
    },
  }
}

/** Loaded when first needed: most starts of the server look at no skill. */
async function parseYaml(source: string): Promise<JsonObject | null> {
  try {
    const { parseDocument } = await import('yaml')
    const document = parseDocument(source, { schema: 'core', prettyErrors: false, logLevel: 'silent' })
    if (document.errors.length > 0) return null
    const value: unknown = document.toJS({ maxAliasCount: 20 })
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Many skills hold a colon where YAML wants quotes: then a key at the start of a line takes the lines below it. */
function parseLines(source: string): JsonObject {
  const fields = new Map<string, string>()
  let key = ''
  for (const line of source.split('\n')) {
    const start = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line)
    if (start) {
      key = start[1]!
      fields.set(key, start[2] ?? '')
    } else if (key !== '') fields.set(key, `${fields.get(key)}\n${line}`)
  }
  const clean = (value: string) =>
    value
      .replace(/^[|>][+-]?\n/, '')
      .trim()
      .replace(/^(["'])(.*)\1$/s, '$2')
  return Object.fromEntries([...fields].map(([name, value]) => [name, clean(value)]))
}

/** Our own fields, or else those of the first other product that uses the same ones. */
function extraOf(metadata: JsonObject): JsonObject {
  if (Object.hasOwn(metadata, OWN_NAMESPACE) && isObject(metadata[OWN_NAMESPACE])) return metadata[OWN_NAMESPACE]
  const known = (value: unknown) => isObject(value) && GATE_FIELDS.some((field) => Object.hasOwn(value, field))
  return (Object.values(metadata).find(known) as JsonObject | undefined) ?? {}
}

function gateOf(extra: JsonObject, name: string): SkillGate {
  const requires = isObject(extra.requires) ? extra.requires : {}
  return {
    key: textOf(extra.skillKey) || name,
    always: isSaid(extra.always, true),
    primaryEnv: textOf(extra.primaryEnv) || null,
    os: textsOf(extra.os),
    bins: textsOf(requires.bins),
    anyBins: textsOf(requires.anyBins),
    env: textsOf(requires.env),
    config: textsOf(requires.config),
  }
}

function warningsFor(name: string, description: string): string[] {
  const warnings: string[] = []
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    warnings.push('its name should be 1 to 64 of a-z, 0-9 and single hyphens')
  }
  if (description.length > MAX_DESCRIPTION) warnings.push(`its description is cut after ${MAX_DESCRIPTION} characters`)
  return warnings
}

/** One line of text, whatever YAML took it for. */
function textOf(value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isPlain
    ? String(value)
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
    : ''
}

function textsOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value.slice(0, MAX_LISTED) : [value]
  return items.map(textOf).filter((item) => item !== '')
}

function isSaid(value: unknown, wanted: boolean): boolean {
  return textOf(value).toLowerCase() === String(wanted)
}
