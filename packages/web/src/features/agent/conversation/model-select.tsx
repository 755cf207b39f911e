import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Conversation, useChangeConversation } from '../../../api/conversation.ts'
import { type Agent, type Runtime, useRuntime } from '../../../api/fleet.ts'
import { useProviders } from '../../../api/providers.ts'
import { useRuntimeModels } from '../../../api/sources.ts'
import { announceResult } from '../../../shared/problem.tsx'
import { modelInForce, modelOf } from '../../../shared/provider/model-in-force.ts'
import { ModelOptions, RuntimeModelOptions } from '../../../shared/provider/model-options.tsx'
import { SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Note, NoteButton } from '../../../ui/note.tsx'
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
    announceResult(
      change.mutateAsync({ model }),
      model === null ? `Back to ${props.backTo}` : 'Model changed',
      'change the model',
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

/** Shown when no model can answer: the reason, and two ways to fix it. */
export function ModelNote({ agent, conversation }: { agent: Agent; conversation: Conversation }) {
  const providers = useProviders().data
  const runtime = useRuntime(agent.runtime)
  const change = useChangeConversation(agent.id)
  // A runtime with its own models needs none of the models set up here.
  if (!providers || !runtime || runtime.ownModels) return null
  const model = modelInForce(providers, { conversation: conversation.settings.model, agent: modelOf(agent.execConfig) })
  if (model.problem === null) return null
  const { demoModel } = providers
  return (
    <Note tone="needs" live>
      <span>{model.problem}</span>
      <Link to="/settings/models" className="rounded-s font-semibold underline-offset-2 hover:underline">
        Set up a model
      </Link>
      {demoModel === null || demoModel === model.ref ? null : (
        <PassesFocus>
          <NoteButton
            onClick={() =>
              announceResult(
                change.mutateAsync({ model: demoModel }),
                'The demo model replies here now. It is scripted, not an AI.',
                'change the model',
              )
            }
          >
            Use the demo model (scripted, not an AI)
          </NoteButton>
        </PassesFocus>
      )}
    </Note>
  )
}
