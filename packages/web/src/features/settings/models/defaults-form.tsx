import { type FormEvent, useState } from 'react'
import { type ModelDefaults, type Provider, useSetModelDefaults } from '../../../api/providers.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { saveProblem } from '../../../shared/problem-words.ts'
import { ModelOptions } from '../../../shared/provider/model-options.tsx'
import { plainLabel, SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button, FormActions, IconButton } from '../../../ui/button.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { fieldClass, SelectField } from '../../../ui/text-field.tsx'

export function DefaultsForm({ providers, defaults }: { providers: readonly Provider[]; defaults: ModelDefaults }) {
  const save = useSetModelDefaults()
  const [draft, setDraft] = useState<DefaultsDraft | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const shown = draft ?? draftOf(defaults)
  const change = (part: Partial<DefaultsDraft>) => {
    setProblem(null)
    setDraft((before) => ({ ...(before ?? draftOf(defaults)), ...part }))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = draftProblem(shown)
    if (wrong) return setProblem(wrong)
    save.mutate(patchOf(shown), {
      onSuccess: () => {
        setDraft(null)
        announce('Saved the default model')
      },
    })
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <LeaveGuard isDirty={() => draft !== null} />
      <SelectField
        label="Default model"
        value={shown.defaultModel ?? ''}
        onChange={(event) => change({ defaultModel: event.target.value || null })}
      >
        <option value="">{`None chosen: ${firstReady(providers)}`}</option>
        <ModelOptions providers={providers} chosen={shown.defaultModel} />
      </SelectField>
      <FallbackList
        providers={providers}
        models={shown.fallbackModels}
        onChange={(fallbackModels) => change({ fallbackModels })}
      />
      <AliasList providers={providers} aliases={shown.aliases} onChange={(aliases) => change({ aliases })} />
      <ProblemLine>{problem ?? (save.error ? saveProblem(save.error) : null)}</ProblemLine>
      {draft ? (
        <FormActions
          saving={save.isPending}
          onCancel={() => {
            setDraft(null)
            setProblem(null)
            save.reset()
          }}
        />
      ) : null}
    </form>
  )
}

/** The model used without a default: the first one of the first ready provider. */
function firstReady(providers: readonly Provider[]): string {
  const first = providers.find(({ state, models }) => state === 'ready' && models.length > 0)
  if (!first) return 'no model is ready'
  return `the first that is ready (${plainLabel(first)} ${first.models[0]!.label}${first.scripted ? `, ${SCRIPTED}` : ''})`
}

/** Aliases that a Boo or a person can write instead of a model's full name. */
function AliasList(props: {
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

/** The models that are tried in order when the default model fails. */
function FallbackList(props: {
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

/** The defaults being edited. Aliases are a list, because two may be equal while the person types. */
interface DefaultsDraft {
  readonly defaultModel: string | null
  readonly fallbackModels: readonly string[]
  readonly aliases: readonly Alias[]
}

interface Alias {
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
