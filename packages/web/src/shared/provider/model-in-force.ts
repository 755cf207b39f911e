import type { ModelProvider } from '@clawboo/core/executor'
import { type Agent, useRuntimes } from '../../api/fleet.ts'
import { type Providers, useProviders } from '../../api/providers.ts'
import { SCRIPTED } from './provider-words.ts'

interface ModelInForce {
  /** null = none chosen. */
  readonly ref: string | null
  /** The name without remarks. */
  readonly name: string
  /** The name with the remark of a scripted model. */
  readonly label: string
  readonly scripted: boolean
  /** Why it cannot be used, in words; null = it can. */
  readonly problem: string | null
}

/** The model of the next run: the conversation's, else the Boo's, else the server's default. */
export function modelInForce(
  providers: Providers,
  chosen: { readonly conversation: string | null; readonly agent: string | null },
): ModelInForce {
  const own = chosen.conversation ?? chosen.agent
  return own === null ? defaultInForce(providers) : named(own, providers)
}

/** The default, or the server's substitute for it: the first usable model. */
function defaultInForce(providers: Providers): ModelInForce {
  const { defaultModel } = providers.defaults
  const chosen = defaultModel === null ? null : named(defaultModel, providers)
  if (chosen?.problem === null) return chosen
  const first = providers.providers.find((provider) => isUsable(provider) && provider.models.length > 0)?.models[0]
  if (first) return named(first.ref, providers)
  const problem = 'No model is set for this Boo.'
  return chosen ?? { ref: null, name: 'No model', label: 'No model', scripted: false, problem }
}

function named(typed: string, providers: Providers): ModelInForce {
  const ref = refOf(typed.trim(), providers)
  const slash = ref.indexOf('/')
  const id = ref.slice(slash + 1)
  const owner = slash < 0 ? undefined : providers.providers.find((known) => known.id === ref.slice(0, slash))
  const name = owner?.models.find((model) => model.id === id)?.label ?? (owner ? id : ref)
  const scripted = owner?.scripted ?? false
  return {
    ref,
    name,
    label: scripted ? `${name} (${SCRIPTED})` : name,
    scripted,
    problem: owner ? modelProblem(owner, id) : `No provider has the model ${ref}.`,
  }
}

/** The `provider/model` for a typed name: an alias in any case, or a model's name alone. */
function refOf(typed: string, { providers, defaults }: Providers): string {
  const wanted = typed.toLowerCase()
  const alias = Object.entries(defaults.aliases).find(([short]) => short.trim().toLowerCase() === wanted)
  const name = alias ? alias[1].trim() : typed
  const slash = name.indexOf('/')
  // A provider's id is lower case; a model's name stays as typed.
  if (slash >= 0) return name.slice(0, slash).trim().toLowerCase() + name.slice(slash)
  const offers = providers
    .filter(isUsable)
    .flatMap(({ models }) => models.filter(({ id }) => id.toLowerCase() === name.toLowerCase()))
  if (offers.length === 1) return offers[0]!.ref
  const standard = defaults.defaultModel?.split('/', 1)[0]?.toLowerCase()
  return offers.find(({ ref }) => ref.startsWith(`${standard}/`))?.ref ?? name
}

function isUsable({ state }: ModelProvider): boolean {
  return state === 'ready' || state === 'cooling'
}

function modelProblem({ state, label, detail, scripted, models }: ModelProvider, id: string): string | null {
  if (state === 'needs-key') return `${label} needs a key before this Boo can reply.`
  if (state === 'unreachable') return `${label} is not reachable.${detail ? ` ${detail}` : ''}`
  // A provider may offer more models than it lists, except the scripted one.
  if (scripted && !models.some((model) => model.id === id)) return `${label} has no model ${id}.`
  return null
}

export function modelOf(execConfig: unknown): string | null {
  const model = (execConfig as { readonly model?: unknown } | null)?.model
  return typeof model === 'string' && model.trim() !== '' ? model : null
}

/** Returns a function that checks whether the model of a Boo's next run is scripted. */
export function useIsScripted(): (agent: Pick<Agent, 'execConfig' | 'participantKind' | 'runtime'>) => boolean {
  const providers = useProviders().data
  const runtimes = useRuntimes().data
  return ({ execConfig, participantKind, runtime }) =>
    providers !== undefined &&
    participantKind === 'agent' &&
    runtimes?.find(({ id }) => id === runtime)?.ownModels === false &&
    modelInForce(providers, { conversation: null, agent: modelOf(execConfig) }).scripted
}
