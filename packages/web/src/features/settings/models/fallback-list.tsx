import type { Provider } from '../../../api/providers.ts'
import { ModelOptions } from '../../../shared/provider/model-options.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/text-field.tsx'

/** The models that are tried in order when the default model fails. */
export function FallbackList(props: {
  readonly providers: readonly Provider[]
  readonly models: readonly string[]
  readonly onChange: (models: readonly string[]) => void
}) {
  const { providers, models, onChange } = props
  const without = (at: number) => models.filter((_, index) => index !== at)
  const swapped = (at: number) => models.with(at - 1, models[at]!).with(at, models[at - 1]!)
  return (
    <div className="flex flex-col gap-1.5">
      {models.length > 0 ? (
        <ol aria-label="Fallbacks, tried in this order" className="flex flex-col">
          {models.map((model, index) => (
            <li key={model} className="flex min-h-9 items-center gap-2 border-b border-line">
              <span className="w-5 shrink-0 text-right text-sm text-muted tabular-nums">{index + 1}</span>
              <span className="min-w-0 flex-1 truncate">{model}</span>
              {index > 0 ? (
                <IconButton icon="up" label={`Try ${model} earlier`} onClick={() => onChange(swapped(index))} />
              ) : null}
              <IconButton icon="close" label={`Remove ${model}`} onClick={() => onChange(without(index))} />
            </li>
          ))}
        </ol>
      ) : null}
      <SelectField
        label="Add a fallback"
        hint="Tried in order when the default model does not respond. A model that was chosen for a Boo is never replaced."
        value=""
        onChange={(event) => {
          const model = event.target.value
          if (model && !models.includes(model)) onChange([...models, model])
        }}
      >
        <option value="">Choose a model</option>
        <ModelOptions providers={providers} />
      </SelectField>
    </div>
  )
}
