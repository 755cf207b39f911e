import { isObject, type JsonObject } from '../session/entry.ts'
import type { Skill, SkillGate } from './skill.ts'

/** A skill without its location. */
export type SkillHead = Omit<Skill, 'location' | 'folder' | 'file'>

export type SkillHeadResult = { readonly head: SkillHead } | { readonly problem: string }

const MAX_FRONT_MATTER = 32_768
const MAX_DESCRIPTION = 1024
const MAX_LISTED = 50
/** Our own part of `metadata`. Other products use the same fields under their own names. */
const OWN_NAMESPACE = 'clawboo'
/** The fields by which the part of another product is recognised. */
const KNOWN_FIELDS = ['always', 'emoji', 'homepage', 'skillKey', 'primaryEnv', 'os', 'requires', 'install'] as const

/** The text between the two `---` lines; null = no front matter. */
export function frontMatterOf(text: string): string | null {
  const lines = text.replace(/^\uFEFF/, '')
  const open = /^---[ \t]*\r?\n/.exec(lines)
  if (!open) return null
  const rest = lines.slice(open[0].length - 1)
  const close = /\n---[ \t]*(?:\r?\n|$)/.exec(rest)
  return close ? rest.slice(1, close.index + 1).replaceAll('\r\n', '\n') : null
}

/** Parses the front matter of a skill. Never rejects. */
export async function parseSkillHead(frontMatter: string): Promise<SkillHeadResult> {
  if (frontMatter.length > MAX_FRONT_MATTER)
    return { problem: `its front matter has more than ${MAX_FRONT_MATTER} characters` }
  const fields = (await parseYaml(frontMatter)) ?? parseLines(frontMatter)
  const name = textOf(fields.name)
  const description = textOf(fields.description)
  if (name === '') return { problem: 'it has no name' }
  if (description === '') return { problem: 'it has no description' }
  const metadata = typeof fields.metadata === 'string' ? await parseYaml(fields.metadata) : (fields.metadata ?? {})
  // Unreadable requirements must not count as met.
  if (!isObject(metadata)) return { problem: 'its metadata cannot be read' }
  const extra = extraOf(metadata)
  return {
    head: {
      name,
      description: description.slice(0, MAX_DESCRIPTION).toWellFormed(),
      modelInvocable: !isSetTo(fields['disable-model-invocation'], true),
      gate: gateOf(extra, name),
    },
  }
}

/** Loads the YAML package on first use: the server often starts without reading any skill. */
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

/** Fallback for skills with an unquoted colon, which is invalid YAML: a key owns its line and the lines below it. */
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

/** Our own fields, or else those of the first other product with the same fields. */
function extraOf(metadata: JsonObject): JsonObject {
  if (Object.hasOwn(metadata, OWN_NAMESPACE) && isObject(metadata[OWN_NAMESPACE])) return metadata[OWN_NAMESPACE]
  const known = (value: unknown) => isObject(value) && KNOWN_FIELDS.some((field) => Object.hasOwn(value, field))
  return (Object.values(metadata).find(known) as JsonObject | undefined) ?? {}
}

function gateOf(extra: JsonObject, name: string): SkillGate {
  const requires = isObject(extra.requires) ? extra.requires : {}
  return {
    key: textOf(extra.skillKey) || name,
    always: isSetTo(extra.always, true),
    os: textsOf(extra.os),
    bins: textsOf(requires.bins),
    anyBins: textsOf(requires.anyBins),
    env: textsOf(requires.env),
    config: textsOf(requires.config),
  }
}

/** A plain value as one line of text. */
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

function isSetTo(value: unknown, wanted: boolean): boolean {
  return textOf(value).toLowerCase() === String(wanted)
}
