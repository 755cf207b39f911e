import type { ModelDefaults } from '../../../api/providers.ts'

/** The defaults while they are edited. Aliases are a list, because two may be equal while the person types. */
export interface DefaultsDraft {
  readonly defaultModel: string | null
  readonly fallbackModels: readonly string[]
  readonly aliases: readonly Alias[]
}

export interface Alias {
  /** A stable key for the row while its name changes. */
  readonly key: string
  readonly name: string
  readonly model: string
}

export function draftOf({ defaultModel, fallbackModels, aliases }: ModelDefaults): DefaultsDraft {
  const rows = Object.entries(aliases).map(([name, model]) => ({ key: name, name, model }))
  return { defaultModel, fallbackModels, aliases: rows }
}

/** Why the defaults cannot be saved; null when they can. An empty row is ignored. */
export function draftProblem({ aliases }: DefaultsDraft): string | null {
  const names = new Set<string>()
  for (const { name, model } of aliases.filter(isFilled)) {
    const short = name.trim().toLowerCase()
    if (short === '') return `The short name for ${model} is empty.`
    if (model === '') return `Choose the model that ${name.trim()} stands for.`
    if (names.has(short)) return `Two models have the short name ${name.trim()}.`
    names.add(short)
  }
  return null
}

export function patchOf({ defaultModel, fallbackModels, aliases }: DefaultsDraft) {
  return {
    defaultModel,
    fallbackModels: [...fallbackModels],
    aliases: Object.fromEntries(aliases.filter(isFilled).map(({ name, model }) => [name.trim(), model])),
  }
}

function isFilled({ name, model }: Alias): boolean {
  return name.trim() !== '' || model !== ''
}
