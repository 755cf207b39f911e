import type { ReactNode } from 'react'
import { type Conversation, useChangeConversation } from '../../../api/conversation.ts'
import { type Agent, type Runtime, useRuntime } from '../../../api/fleet.ts'
import { useProviders } from '../../../api/providers.ts'
import { useRuntimeModels } from '../../../api/runtime-models.ts'
import { problemWords } from '../../../shared/problem-words.ts'
import { modelInForce, modelOf } from '../../../shared/provider/model-in-force.ts'
import { ModelOptions } from '../../../shared/provider/model-options.tsx'
import { SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { RuntimeModelOptions } from '../../../shared/provider/runtime-model-options.tsx'
import { announce } from '../../../ui/announcement.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'

interface SelectProps {
  readonly agent: Agent
  readonly conversation: Conversation
}

/** The model of a conversation: from a provider set up here, or from the Boo's runtime. */
export function ModelSelect(props: SelectProps) {
  const runtime = useRuntime(props.agent.runtime)
  if (!runtime) return null
  return runtime.ownModels ? <OwnModelSelect {...props} runtime={runtime} /> : <HostModelSelect {...props} />
}

function HostModelSelect({ agent, conversation }: SelectProps) {
  const providers = useProviders().data
  if (!providers) return null
  const own = modelOf(agent.execConfig)
  const usual = modelInForce(providers, { conversation: null, agent: own })
  const here = conversation.settings.model
  const inForce = here === null ? usual : modelInForce(providers, { conversation: here, agent: own })
  return (
    <span className="flex max-w-full min-w-0 items-center gap-2">
      <ModelChoice
        agent={agent}
        chosen={here === null ? null : inForce.ref}
        title={inForce.label}
        backTo={usual.label}
        usual={`${usual.name} (${own === null ? 'default' : `${agent.displayName}’s own`})`}
      >
        <ModelOptions providers={providers.providers} chosen={here === null ? null : inForce.ref} />
      </ModelChoice>
      {inForce.scripted ? (
        <span className="shrink-0">
          <Pill tone="outline">{SCRIPTED}</Pill>
        </span>
      ) : null}
    </span>
  )
}

function OwnModelSelect({ agent, conversation, runtime }: SelectProps & { readonly runtime: Runtime }) {
  const models = useRuntimeModels(runtime.id).data ?? []
  const own = modelOf(agent.execConfig)
  const here = conversation.settings.model
  const usual = own === null ? `As set in ${runtime.label}` : `${own} (${agent.displayName}’s own)`
  return (
    <ModelChoice
      agent={agent}
      chosen={here}
      title={here ?? usual}
      backTo={own ?? `what is set in ${runtime.label}`}
      usual={usual}
    >
      <RuntimeModelOptions models={models} chosen={here} />
    </ModelChoice>
  )
}

function ModelChoice(props: {
  readonly agent: Agent
  /** null = the default. */
  readonly chosen: string | null
  readonly title: string
  readonly usual: string
  /** The announcement when the default is chosen again. */
  readonly backTo: string
  readonly children: ReactNode
}) {
  const change = useChangeConversation(props.agent.id)
  const choose = (model: string | null) =>
    change.mutate(
      { model },
      {
        onSuccess: () => announce(model === null ? `Back to ${props.backTo}` : 'Model changed'),
        onError: (error) => announce(problemWords(error, 'change the model'), 'bad'),
      },
    )
  return (
    <label className="flex min-w-0 items-center gap-2">
      <span className="shrink-0 max-wide:sr-only">Model</span>
      {/* The name comes first, because overflowing text is cut at the end. */}
      <select
        value={props.chosen ?? ''}
        title={props.title}
        // Not `disabled`: focus stays here while the change is saved.
        onChange={(event) => (change.isPending ? undefined : choose(event.target.value || null))}
        className={`${fieldClass} h-7 w-auto max-w-[300px] text-sm text-ellipsis`}
      >
        <option value="">{props.usual}</option>
        {props.children}
      </select>
    </label>
  )
}
