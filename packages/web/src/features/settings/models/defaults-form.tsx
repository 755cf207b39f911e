import { type FormEvent, useState } from 'react'
import { type ModelDefaults, type Provider, useSetModelDefaults } from '../../../api/providers.ts'
import { saveProblem } from '../../../shared/problem-words.ts'
import { ModelOptions } from '../../../shared/provider/model-options.tsx'
import { plainLabel, SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { FormActions } from '../../../ui/form-actions.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { SelectField } from '../../../ui/text-field.tsx'
import { AliasList } from './alias-list.tsx'
import { type DefaultsDraft, draftOf, draftProblem, patchOf } from './defaults-draft.ts'
import { FallbackList } from './fallback-list.tsx'

/** The default model, its fallbacks and the aliases, saved together. */
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
