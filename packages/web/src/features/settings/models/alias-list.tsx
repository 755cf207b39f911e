import type { Provider } from '../../../api/providers.ts'
import { ModelOptions } from '../../../shared/provider/model-options.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { fieldClass } from '../../../ui/text-field.tsx'
import type { Alias } from './defaults-draft.ts'

/** Aliases that a Boo or a person can write instead of a model's full name. */
export function AliasList(props: {
  readonly providers: readonly Provider[]
  readonly aliases: readonly Alias[]
  readonly onChange: (aliases: readonly Alias[]) => void
}) {
  const { providers, aliases, onChange } = props
  const change = (at: number, part: Partial<Alias>) => onChange(aliases.with(at, { ...aliases[at]!, ...part }))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-[550]">Short names</legend>
      {aliases.map(({ key, name, model }, index) => (
        <div key={key} className="flex items-center gap-2">
          <input
            aria-label={`Short name ${index + 1}`}
            placeholder="quick"
            value={name}
            onChange={(event) => change(index, { name: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            className={`${fieldClass} h-[34px] max-w-[140px]`}
          />
          <span className="shrink-0 text-sm text-muted">is</span>
          <select
            aria-label={`Model for short name ${index + 1}`}
            value={model}
            onChange={(event) => change(index, { model: event.target.value })}
            className={`${fieldClass} h-[34px]`}
          >
            <option value="">Choose a model</option>
            <ModelOptions providers={providers} chosen={model} />
          </select>
          <IconButton
            icon="close"
            label={`Remove short name ${index + 1}`}
            onClick={() => onChange(aliases.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...aliases, { key: crypto.randomUUID(), name: '', model: '' }])}>
          Add a short name
        </Button>
      </div>
    </fieldset>
  )
}
