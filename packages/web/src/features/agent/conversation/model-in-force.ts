import type { ModelProvider } from '@clawboo/core/executor'
import type { Providers } from '../../../api/providers.ts'
import { SCRIPTED } from '../../../ui/provider-words.ts'

export interface ModelInForce {
  /** null = nobody chose one. */
  readonly ref: string | null
  readonly label: string
  readonly scripted: boolean
  /** Why it cannot be used, for a person; null = it can. */
  readonly problem: string | null
}

/** The model the next run would use: the conversation's, else the Boo's, else the server's default. */
export function modelInForce(
  { providers, defaults }: Providers,
  chosen: { readonly conversation: string | null; readonly agent: string | null },
): ModelInForce {
  const named = chosen.conversation ?? chosen.agent ?? defaults.defaultModel ?? firstReady(providers)
  if (named === null) {
    return { ref: null, label: 'No model', scripted: false, problem: 'No model is chosen for this Boo yet.' }
  }
  const ref = defaults.aliases[named] ?? named
  const provider = providers.find(({ models }) => models.some((model) => model.ref === ref))
  const label = provider?.models.find((model) => model.ref === ref)?.label ?? ref
  // A provider knows more models than it lists.
  const owner = provider ?? providers.find(({ id }) => ref.startsWith(`${id}/`))
  return {
    ref,
    label: provider?.scripted ? `${label} (${SCRIPTED})` : label,
    scripted: owner?.scripted ?? false,
    problem: owner ? providerProblem(owner) : `Nothing here serves the model ${ref}.`,
  }
}

/** What the server takes when nobody chose: the first model that can be called. */
function firstReady(providers: Providers['providers']): string | null {
  return providers.find(({ state, models }) => state === 'ready' && models.length > 0)?.models[0]?.ref ?? null
}

function providerProblem({ state, label, detail }: ModelProvider): string | null {
  if (state === 'needs-key') return `${label} needs a key before this Boo can answer.`
  if (state === 'unreachable') return `${label} cannot be reached.${detail ? ` ${detail}` : ''}`
  return null
}

export function modelOf(execConfig: unknown): string | null {
  const model = (execConfig as { readonly model?: unknown } | null)?.model
  return typeof model === 'string' && model !== '' ? model : null
}
