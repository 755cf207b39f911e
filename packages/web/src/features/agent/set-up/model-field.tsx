import type { Runtime } from '../../../api/fleet.ts'
import { useProviders } from '../../../api/providers.ts'
import { useRuntimeModels } from '../../../api/runtime-models.ts'
import { modelInForce } from '../../../shared/provider/model-in-force.ts'
import { ModelOptions } from '../../../shared/provider/model-options.tsx'
import { SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { RuntimeModelOptions } from '../../../shared/provider/runtime-model-options.tsx'
import { SelectField } from '../../../ui/text-field.tsx'

interface ModelFieldProps {
  readonly runtime: Runtime
  /** Empty = none chosen. */
  readonly model: string
  readonly onChange: (model: string) => void
  readonly error?: string
}

/** The model of a Boo: from a provider set up here, or from its runtime. */
export function ModelField(props: ModelFieldProps) {
  return props.runtime.ownModels ? <OwnModelField {...props} /> : <HostModelField {...props} />
}

function OwnModelField({ runtime, model, onChange, error }: ModelFieldProps) {
  const { data, error: trouble } = useRuntimeModels(runtime.id)
  return (
    <SelectField
      label="Model"
      hint={trouble ? `The models of ${runtime.label} cannot be loaded now.` : 'A conversation can use another.'}
      value={model}
      onChange={(event) => onChange(event.target.value)}
      error={error}
    >
      <option value="">{`As set in ${runtime.label}`}</option>
      <RuntimeModelOptions models={data ?? []} chosen={model} />
    </SelectField>
  )
}

function HostModelField(props: ModelFieldProps) {
  const providers = useProviders().data
  const usual = providers ? modelInForce(providers, { conversation: null, agent: null }) : null
  const own =
    providers && props.model !== '' ? modelInForce(providers, { conversation: null, agent: props.model }) : null
  // An alias, or a model's name without its provider, stays as written, followed by the model it stands for.
  const standsFor = own && own.problem === null && own.ref !== props.model ? own : null
  return (
    <SelectField
      label="Model"
      hint={`${(own ?? usual)?.scripted ? `It is ${SCRIPTED}. ` : ''}A conversation can use another.`}
      value={props.model}
      onChange={(event) => props.onChange(event.target.value)}
      error={props.error}
    >
      <option value="">{usualWords(usual)}</option>
      {standsFor ? <option value={props.model}>{`${standsFor.name}, as ${props.model}`}</option> : null}
      {providers ? (
        <ModelOptions providers={providers.providers} chosen={standsFor ? null : props.model} />
      ) : props.model === '' ? null : (
        <option value={props.model}>{props.model}</option>
      )}
    </SelectField>
  )
}

function usualWords(usual: ReturnType<typeof modelInForce> | null): string {
  if (usual === null) return 'The default'
  return usual.ref === null ? 'The default, once a model is set up' : `${usual.name}, the default`
}
