import { type FormEvent, useRef, useState } from 'react'
import { useUpdateAgent } from '../../../api/agent/agents.ts'
import { type Agent, type Runtime, useRuntime } from '../../../api/fleet.ts'
import { useProviders } from '../../../api/providers.ts'
import { useRuntimeModels } from '../../../api/sources.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { formProblems } from '../../../shared/problem-words.ts'
import { modelInForce } from '../../../shared/provider/model-in-force.ts'
import { ModelOptions, RuntimeModelOptions } from '../../../shared/provider/model-options.tsx'
import { SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { SelectField, TextField } from '../../../ui/text-field.tsx'
import { ChoiceCards } from '../choice-cards.tsx'
import {
  BUDGET,
  budgetProblem,
  MODEL,
  shownChoice,
  stillTouched,
  type TouchedChoices,
  unsavedChoices,
  withChoices,
} from './exec-config.ts'

export function RunSettings({ agent }: { agent: Agent }) {
  const settings = useRunSettings(agent)
  const { form, shown, change, problems, update, dirty } = settings
  const runtime = useRuntime(agent.runtime)
  return (
    <form ref={form} onSubmit={settings.save} noValidate className="flex flex-col gap-4">
      {runtime ? (
        <ModelField
          runtime={runtime}
          model={shown(MODEL)}
          onChange={(model) => change({ [MODEL]: model })}
          error={problems['execConfig.model']}
        />
      ) : null}
      {runtime?.choices?.map((choice) => (
        <RunChoiceField
          key={choice.key}
          choice={choice}
          chosen={shown(choice.key)}
          onChange={(value) => change({ [choice.key]: value })}
        />
      ))}
      <BudgetField
        budget={shown(BUDGET)}
        onChange={settings.typeBudget}
        onLeave={settings.leaveBudget}
        error={settings.budgetProblem}
      />
      <ProblemLine>{settings.rest}</ProblemLine>
      <div className="flex gap-2">
        {/* Not `disabled`: focus stays here after the save. */}
        <Button type="submit" kind="primary" aria-disabled={!dirty || update.isPending}>
          {update.isPending ? 'Saving' : 'Save'}
        </Button>
        {dirty ? <Button onClick={settings.undo}>Undo</Button> : null}
      </div>
      <LeaveGuard isDirty={() => dirty && !update.isPending} />
    </form>
  )
}

function useRunSettings(agent: Agent) {
  /** Only the changed fields; the others follow the server. */
  const [touched, setTouched] = useState<TouchedChoices>({})
  /** A half-typed number is not an error yet. */
  const [isTypingBudget, setTypingBudget] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const update = useUpdateAgent(agent.id)
  const { at: problems, rest } = formProblems(update.error, ['execConfig.model', 'execConfig.budgetUsd'])
  const shown = (key: string) => shownChoice(agent.execConfig, touched, key)
  const unsaved = unsavedChoices(agent.execConfig, touched)
  const dirty = Object.keys(unsaved).length > 0
  const change = (part: TouchedChoices) => setTouched((now) => unsavedChoices(agent.execConfig, { ...now, ...part }))
  const save = (event: FormEvent) => {
    event.preventDefault()
    setTypingBudget(false)
    if (!dirty || update.isPending) return
    if (budgetProblem(shown(BUDGET))) return form.current?.querySelector<HTMLElement>('[inputmode="decimal"]')?.focus()
    const onSuccess = (saved: Agent) => {
      setTouched((now) => stillTouched(now, touched))
      announce(`Saved how ${saved.displayName} runs`)
    }
    update.mutate({ execConfig: withChoices(agent.execConfig, unsaved) }, { onSuccess })
  }
  return {
    form,
    shown,
    change,
    problems,
    rest,
    update,
    dirty,
    save,
    typeBudget: (budget: string) => {
      setTypingBudget(true)
      change({ [BUDGET]: budget })
    },
    leaveBudget: () => setTypingBudget(false),
    budgetProblem: (isTypingBudget ? null : budgetProblem(shown(BUDGET))) ?? problems['execConfig.budgetUsd'],
    undo: () => {
      setTouched({})
      update.reset()
      // This button disappears when the change is undone.
      form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()
    },
  }
}

function BudgetField(props: {
  readonly budget: string
  readonly onChange: (budget: string) => void
  readonly onLeave: () => void
  readonly error?: string
}) {
  return (
    <TextField
      label="Daily budget in dollars"
      hint="The most its runs may cost per day. Empty uses the limit in Settings."
      inputMode="decimal"
      value={props.budget}
      onChange={(event) => props.onChange(event.target.value)}
      onBlur={({ relatedTarget }) => {
        // A message that appears now would move the button that the person is pressing.
        if (!(relatedTarget instanceof HTMLButtonElement)) props.onLeave()
      }}
      error={props.error}
      autoComplete="off"
      className="max-w-[280px]"
    />
  )
}

function RunChoiceField(props: {
  readonly choice: NonNullable<Runtime['choices']>[number]
  /** Empty = not set. */
  readonly chosen: string
  readonly onChange: (value: string) => void
}) {
  const { key, label, unset, values } = props.choice
  const choices = typeof unset === 'string' ? values : [{ value: '', ...unset }, ...values]
  const chosen = props.chosen === '' && typeof unset === 'string' ? unset : props.chosen
  const warning = values.find(({ value }) => value === chosen)?.warning
  return (
    <div>
      <ChoiceCards legend={label} name={key} choices={choices} chosen={chosen} onChoose={props.onChange} />
      {warning ? (
        <p role="alert" className="mt-2 rounded-s bg-bad-soft px-3 py-2 text-sm text-bad">
          {warning}
        </p>
      ) : null}
    </div>
  )
}

interface ModelFieldProps {
  readonly runtime: Runtime
  /** Empty = none chosen. */
  readonly model: string
  readonly onChange: (model: string) => void
  readonly error?: string
}

/** The model of a Boo: from a provider set up here, or from its runtime. */
function ModelField(props: ModelFieldProps) {
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
  // An alias, or a model's name without its provider, stays as written, followed by the full name of the model.
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
