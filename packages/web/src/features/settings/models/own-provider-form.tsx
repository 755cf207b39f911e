import { type FormEvent, useState } from 'react'
import { type Provider, useSaveProvider } from '../../../api/providers.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { formProblems } from '../../../shared/problem-words.ts'
import { KeyForm } from '../../../shared/provider/key-form.tsx'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { LeaveGuard } from '../../../ui/leave-guard.tsx'
import { TextArea, TextField } from '../../../ui/text-field.tsx'

/** Adds an OpenAI-compatible server. The form for its key follows once the server is stored. */
export function OwnProviderForm({ taken }: { taken: readonly string[] }) {
  const [step, setStep] = useState<'closed' | 'describe' | Provider>('closed')
  const close = () => setStep('closed')
  if (step === 'closed') {
    return (
      <div>
        <Button icon="plus" onClick={() => setStep('describe')}>
          Add your own provider
        </Button>
      </div>
    )
  }
  return (
    <div className="rounded-m border border-line-strong px-4 py-3">
      {step === 'describe' ? (
        <DescribeForm taken={taken} onSaved={setStep} onCancel={close} />
      ) : (
        <div className="flex flex-col gap-3">
          <p>{`${step.label} is added. If it needs a key, paste it here.`}</p>
          <KeyForm provider={step} cancelWord="No key needed" onCancel={close} onStored={close} />
        </div>
      )}
    </div>
  )
}

interface DescribeProps {
  readonly taken: readonly string[]
  readonly onSaved: (provider: Provider) => void
  readonly onCancel: () => void
}

const EMPTY = { label: '', baseUrl: '', models: '' }

function DescribeForm(props: DescribeProps) {
  const [typed, setTyped] = useState(EMPTY)
  const change = (part: Partial<typeof EMPTY>) => setTyped((before) => ({ ...before, ...part }))
  const { save, submit } = useSaveDescribed(props, typed)
  const { at, rest } = formProblems(save.error, ['label', 'baseUrl', 'models'])
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <h3 className="font-[560]">Your own provider</h3>
      <LeaveGuard isDirty={() => Object.values(typed).join('').trim() !== ''} />
      <TextField
        label="Name"
        value={typed.label}
        onChange={(event) => change({ label: event.target.value })}
        error={at.label}
        autoComplete="off"
        autoFocus
      />
      <TextField
        label="Base URL"
        hint="An OpenAI-compatible server, such as http://127.0.0.1:8000/v1"
        type="url"
        value={typed.baseUrl}
        onChange={(event) => change({ baseUrl: event.target.value })}
        error={at.baseUrl}
        autoComplete="off"
        spellCheck={false}
      />
      <TextArea
        label="Models"
        hint="One name per line. Leave it empty for a server on this computer."
        value={typed.models}
        onChange={(event) => change({ models: event.target.value })}
        rows={3}
        mono
        spellCheck={false}
      />
      <ProblemLine>{rest}</ProblemLine>
      <div className="flex gap-2">
        <Button type="submit" kind="primary" disabled={save.isPending}>
          {save.isPending ? 'Saving' : 'Add'}
        </Button>
        <Button onClick={props.onCancel}>Cancel</Button>
      </div>
    </form>
  )
}

function useSaveDescribed({ taken, onSaved }: DescribeProps, typed: typeof EMPTY) {
  const save = useSaveProvider()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const models = typed.models.split('\n').flatMap((line) => (line.trim() === '' ? [] : [{ id: line.trim() }]))
    save.mutate(
      {
        providerId: providerIdFor(typed.label, taken),
        label: typed.label.trim(),
        baseUrl: typed.baseUrl.trim(),
        ...(models.length === 0 ? {} : { models }),
      },
      {
        onSuccess: (provider) => {
          announce(`Added ${provider.label}`)
          onSaved(provider)
        },
      },
    )
  }
  return { save, submit }
}

/** A valid and unique id for a provider, made from its name. */
export function providerIdFor(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 34)
    .replace(/^-+|-+$/g, '')
  const id = words === '' ? 'own' : words
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? id : `${id}-${number}`
    if (!taken.includes(candidate)) return candidate
  }
}
