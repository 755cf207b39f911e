import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Provider, useSetModelDefaults } from '../../api/providers.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { saveProblem } from '../../shared/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/text-field.tsx'

/** The last step before the first Boo: the default model of all Boos. */
export function ModelStep({ words, providers }: { words?: string; providers: readonly Pick<Provider, 'models'>[] }) {
  const save = useSetModelDefaults()
  const navigate = useNavigate()
  const models = providers.flatMap((provider) => provider.models)
  const [model, setModel] = useState(models[0]?.ref ?? '')
  const go = () => {
    if (model === '') return void navigate({ to: '/new' })
    save.mutate({ defaultModel: model }, { onSuccess: () => void navigate({ to: '/new' }) })
  }
  return (
    <div className="flex flex-col items-start gap-3">
      {words ? <p role="status">{words}</p> : null}
      {models.length > 0 ? (
        <SelectField
          label="Model"
          hint="For every Boo without a model of its own. You can change it at any time."
          value={model}
          onChange={(event) => setModel(event.target.value)}
        >
          {models.map(({ ref, label }) => (
            <option key={ref} value={ref}>
              {label}
            </option>
          ))}
        </SelectField>
      ) : null}
      <ProblemLine>{save.error ? saveProblem(save.error) : null}</ProblemLine>
      <Button kind="primary" onClick={go} disabled={save.isPending}>
        {save.isPending ? 'Saving' : 'Create your first Boo'}
      </Button>
    </div>
  )
}

export function ChoiceCard(props: {
  readonly title: string
  readonly about: ReactNode
  readonly badge?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="rounded-m border border-line bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center gap-2.5">
        <h3 className="text-lg font-[620]">{props.title}</h3>
        {props.badge}
      </div>
      <p className="mt-0.5 mb-3 max-w-[62ch] text-muted">{props.about}</p>
      {props.children}
    </section>
  )
}
