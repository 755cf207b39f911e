import { type FormEvent, useState } from 'react'
import { useUpdateAgent } from '../../../api/agents.ts'
import type { Agent } from '../../../api/fleet.ts'
import { fieldProblems, writeProblem } from '../../../api/problem-words.ts'
import { useProviders } from '../../../api/providers.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { ModelOptions } from '../../../ui/model-options.tsx'
import { ProblemLine } from '../../../ui/problem-line.tsx'
import { SelectField, TextField } from '../../../ui/text-field.tsx'
import { budgetProblem, type CommandPolicy, type RunChoices, readChoices, withChoices } from './exec-config.ts'

/** The few things about a Boo's runs that people change. */
export function RunSettings({ agent }: { agent: Agent }) {
  const [before, setBefore] = useState(() => readChoices(agent.execConfig))
  const [typed, setTyped] = useState(before)
  const update = useUpdateAgent(agent.id)
  const problems = fieldProblems(update.error)
  const wrongBudget = budgetProblem(typed.budget)
  const dirty = JSON.stringify(typed) !== JSON.stringify(before)
  const change = (part: Partial<RunChoices>) => setTyped((now) => ({ ...now, ...part }))
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (wrongBudget) return
    update.mutate(
      { execConfig: withChoices(agent.execConfig, before, typed) },
      {
        onSuccess: (saved) => {
          const next = readChoices(saved.execConfig)
          setBefore(next)
          setTyped(next)
          announce(`Saved how ${saved.displayName} runs`)
        },
      },
    )
  }
  return (
    <form onSubmit={save} noValidate className="flex flex-col gap-4">
      <ModelField model={typed.model} onChange={(model) => change({ model })} error={problems['execConfig.model']} />
      <CommandField commands={typed.commands} onChange={(commands) => change({ commands })} />
      <TextField
        label="Daily budget in dollars"
        hint="What its runs may cost a day. Empty means the limit set in Settings."
        inputMode="decimal"
        value={typed.budget}
        onChange={(event) => change({ budget: event.target.value })}
        error={wrongBudget ?? problems['execConfig.budgetUsd']}
        autoComplete="off"
        className="max-w-[280px]"
      />
      <ProblemLine>{update.error ? writeProblem(update.error) : null}</ProblemLine>
      <div className="flex gap-2">
        <Button type="submit" kind="primary" disabled={!dirty || update.isPending}>
          {update.isPending ? 'Saving' : 'Save'}
        </Button>
        {dirty ? <Button onClick={() => setTyped(before)}>Undo</Button> : null}
      </div>
      <LeaveGuard isDirty={() => dirty && !update.isPending} />
    </form>
  )
}

function ModelField(props: { model: string; onChange: (model: string) => void; error?: string }) {
  const providers = useProviders().data
  const usual = providers?.defaults.defaultModel
  return (
    <SelectField
      label="Model"
      hint="A conversation can choose another for itself."
      value={props.model}
      onChange={(event) => props.onChange(event.target.value)}
      error={props.error}
    >
      <option value="">{usual ? `The default: ${usual}` : 'The default (none is set)'}</option>
      {providers ? (
        <ModelOptions providers={providers.providers} chosen={props.model} />
      ) : props.model === '' ? null : (
        <option value={props.model}>{props.model}</option>
      )}
    </SelectField>
  )
}

const POLICIES: readonly (readonly [value: CommandPolicy, label: string, about: string])[] = [
  ['deny', 'No commands', 'It can read and write files, and runs nothing.'],
  ['allowlist', 'Ask for what is not on the list', 'Commands on its list run. Everything else waits for you.'],
  ['full', 'Everything', 'Every command runs without asking.'],
]

function CommandField({ commands, onChange }: { commands: CommandPolicy; onChange: (next: CommandPolicy) => void }) {
  const chosen = commands === 'usual' ? 'allowlist' : commands
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-[550]">Commands</legend>
      <div className="flex flex-col gap-2">
        {POLICIES.map(([value, label, about]) => (
          <label
            key={value}
            className="flex items-center gap-2.5 rounded-s border border-line-strong px-3 py-1.5 has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="commands"
              className="accent-accent"
              checked={chosen === value}
              onChange={() => onChange(value)}
            />
            <span>
              <span className="block font-[550]">{label}</span>
              <span className="block text-sm text-muted">{about}</span>
            </span>
          </label>
        ))}
      </div>
      {chosen === 'full' ? (
        <p role="alert" className="mt-2 rounded-s bg-bad-soft px-3 py-2 text-sm text-bad">
          It can then do whatever you can do on this machine: delete files, read secrets, reach the network. A text it
          reads somewhere can talk it into that. Choose this only for a machine you can lose.
        </p>
      ) : null}
    </fieldset>
  )
}
