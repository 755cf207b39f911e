import { type FormEvent, useRef, useState } from 'react'
import { useUpdateAgent } from '../../../api/agents.ts'
import type { Agent } from '../../../api/fleet.ts'
import { modelInForce } from '../../../api/model-in-force.ts'
import { fieldProblems, writeProblem } from '../../../api/problem-words.ts'
import { useProviders } from '../../../api/providers.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { ModelOptions } from '../../../ui/model-options.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { SCRIPTED } from '../../../ui/provider-words.ts'
import { SelectField, TextField } from '../../../ui/text-field.tsx'
import { ChoiceCards } from '../choice-cards.tsx'
import {
  budgetProblem,
  type CommandPolicy,
  shownChoices,
  stillTouched,
  type TouchedChoices,
  unsavedChoices,
  withChoices,
} from './exec-config.ts'

/** Where this form shows a problem of its own. */
const SHOWN_FIELDS = ['execConfig.model', 'execConfig.budgetUsd']

/** The few things about a Boo's runs that people change. */
export function RunSettings({ agent }: { agent: Agent }) {
  /** Only what was touched; the rest follows the server. */
  const [touched, setTouched] = useState<TouchedChoices>({})
  /** What is half typed is not wrong yet. */
  const [typingBudget, setTypingBudget] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const update = useUpdateAgent(agent.id)
  const problems = fieldProblems(update.error)
  const shown = shownChoices(agent.execConfig, touched)
  const unsaved = unsavedChoices(agent.execConfig, touched)
  const dirty = Object.keys(unsaved).length > 0
  const change = (part: TouchedChoices) => setTouched((now) => unsavedChoices(agent.execConfig, { ...now, ...part }))
  const save = (event: FormEvent) => {
    event.preventDefault()
    setTypingBudget(false)
    if (!dirty || update.isPending) return
    if (budgetProblem(shown.budget)) return form.current?.querySelector<HTMLElement>('[inputmode="decimal"]')?.focus()
    const onSuccess = (saved: Agent) => {
      setTouched((now) => stillTouched(now, touched))
      announce(`Saved how ${saved.displayName} runs`)
    }
    update.mutate({ execConfig: withChoices(agent.execConfig, unsaved) }, { onSuccess })
  }
  const undo = () => {
    setTouched({})
    update.reset()
    // The button goes away with what it undoes.
    form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()
  }
  return (
    <form ref={form} onSubmit={save} noValidate className="flex flex-col gap-4">
      <ModelField model={shown.model} onChange={(model) => change({ model })} error={problems['execConfig.model']} />
      <CommandField commands={shown.commands} onChange={(commands) => change({ commands })} />
      <BudgetField
        budget={shown.budget}
        onChange={(budget) => {
          setTypingBudget(true)
          change({ budget })
        }}
        onLeave={() => setTypingBudget(false)}
        error={(typingBudget ? null : budgetProblem(shown.budget)) ?? problems['execConfig.budgetUsd']}
      />
      <ProblemLine>
        {update.error && !SHOWN_FIELDS.some((field) => problems[field]) ? writeProblem(update.error) : null}
      </ProblemLine>
      <div className="flex gap-2">
        {/* Not `disabled`: once it is saved the keyboard stays here. */}
        <Button type="submit" kind="primary" aria-disabled={!dirty || update.isPending}>
          {update.isPending ? 'Saving' : 'Save'}
        </Button>
        {dirty ? <Button onClick={undo}>Undo</Button> : null}
      </div>
      <LeaveGuard isDirty={() => dirty && !update.isPending} />
    </form>
  )
}

function ModelField(props: { model: string; onChange: (model: string) => void; error?: string }) {
  const providers = useProviders().data
  const usual = providers ? modelInForce(providers, { conversation: null, agent: null }) : null
  const own =
    providers && props.model !== '' ? modelInForce(providers, { conversation: null, agent: props.model }) : null
  // A short name, or a model's name without its provider: it stays as it was written, with what it stands for.
  const standsFor = own && own.problem === null && own.ref !== props.model ? own : null
  return (
    <SelectField
      label="Model"
      hint={`${(own ?? usual)?.scripted ? `It is ${SCRIPTED}. ` : ''}A conversation can choose another for itself.`}
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

function BudgetField(props: {
  readonly budget: string
  readonly onChange: (budget: string) => void
  readonly onLeave: () => void
  readonly error?: string
}) {
  return (
    <TextField
      label="Daily budget in dollars"
      hint="What its runs may cost a day. Empty means the limit set in Settings."
      inputMode="decimal"
      value={props.budget}
      onChange={(event) => props.onChange(event.target.value)}
      onBlur={({ relatedTarget }) => {
        // A message that appears under the pointer would push the button away that is just being pressed.
        if (!(relatedTarget instanceof HTMLButtonElement)) props.onLeave()
      }}
      error={props.error}
      autoComplete="off"
      className="max-w-[280px]"
    />
  )
}

const POLICIES = [
  { value: 'deny', label: 'No commands', about: 'It can read and write files, and runs nothing.' },
  {
    value: 'allowlist',
    label: 'Ask for what is not on the list',
    about: 'Commands on its list run. Everything else waits for you.',
  },
  { value: 'full', label: 'Everything', about: 'Every command runs without asking.' },
] as const satisfies readonly { readonly value: CommandPolicy; readonly label: string; readonly about: string }[]

function CommandField({ commands, onChange }: { commands: CommandPolicy; onChange: (next: CommandPolicy) => void }) {
  const chosen = commands === 'usual' ? 'allowlist' : commands
  return (
    <div>
      <ChoiceCards legend="Commands" name="commands" choices={POLICIES} chosen={chosen} onChoose={onChange} />
      {chosen === 'full' ? (
        <p role="alert" className="mt-2 rounded-s bg-bad-soft px-3 py-2 text-sm text-bad">
          It can then do whatever you can do on this machine: delete files, read secrets, reach the network. A text it
          reads somewhere can talk it into that. Choose this only for a machine you can lose.
        </p>
      ) : null}
    </div>
  )
}
