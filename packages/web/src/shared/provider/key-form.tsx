import type { KeyCheck, ModelProvider } from '@clawboo/core/executor'
import { type FormEvent, useRef, useState } from 'react'
import { useStoreKey } from '../../api/providers.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { ProblemLine } from '../problem.tsx'
import { saveProblem } from '../problem-words.ts'
import { keyProblem, plainLabel } from './provider-words.ts'

interface KeyFormProps {
  readonly provider: Pick<ModelProvider, 'id' | 'label' | 'scripted' | 'keyPage'>
  readonly onStored: (check: KeyCheck) => void
  readonly onCancel?: () => void
  readonly cancelWord?: string
}

/** Asks for a provider's key and tests it with one request before it is stored. */
export function KeyForm(props: KeyFormProps) {
  const label = plainLabel(props.provider)
  const { key, type, state, problem, send, isDirty } = useKeyForm(props, label)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(false)
  }
  return (
    <form onSubmit={submit} noValidate autoComplete="off" className="flex flex-col gap-3">
      <LeaveGuard isDirty={isDirty} />
      <TextField
        label={`Key for ${label}`}
        type="password"
        name="provider-key"
        autoComplete="off"
        autoFocus
        spellCheck={false}
        data-1p-ignore
        data-lpignore="true"
        value={key}
        onChange={(event) => type(event.target.value)}
        hint={<KeyHint label={label} keyPage={props.provider.keyPage} />}
      />
      <ProblemLine>{problem?.words}</ProblemLine>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={state !== 'idle'}>
          {state === 'checking' ? 'Testing with one request' : 'Test and store'}
        </Button>
        {problem?.mayStore ? (
          <Button onClick={() => void send(true)} disabled={state !== 'idle'}>
            Store anyway
          </Button>
        ) : null}
        {props.onCancel ? <Button onClick={props.onCancel}>{props.cancelWord ?? 'Cancel'}</Button> : null}
      </div>
    </form>
  )
}

function useKeyForm({ provider, onStored }: KeyFormProps, label: string) {
  const { mutateAsync: store } = useStoreKey(provider.id)
  const [key, setKey] = useState('')
  const [state, setState] = useState<'idle' | 'checking' | 'storing'>('idle')
  const [problem, setProblem] = useState<{ readonly words: string; readonly mayStore: boolean } | null>(null)
  const isStored = useRef(false)
  const send = async (storeAnyway: boolean) => {
    if (key.trim() === '') return setProblem({ words: 'Paste a key first.', mayStore: false })
    setState(storeAnyway ? 'storing' : 'checking')
    setProblem(null)
    try {
      const { stored, check } = await store({ key: key.trim(), storeAnyway })
      isStored.current = stored
      const problem = keyProblem(check, label)
      if (!stored) return setProblem({ words: `Not stored. ${problem}`, mayStore: true })
      announce(problem ? `Stored anyway. ${problem}` : `Stored the key for ${label}. It works.`)
      onStored(check)
    } catch (error) {
      setProblem({ words: saveProblem(error), mayStore: false })
    } finally {
      setState('idle')
    }
  }
  const type = (next: string) => {
    setKey(next)
    setProblem(null)
  }
  return { key, type, state, problem, send, isDirty: () => !isStored.current && key.trim() !== '' }
}

function KeyHint({ label, keyPage }: { label: string; keyPage: string | null }) {
  return (
    <>
      We test it with one small request, then store it encrypted on this computer.
      {keyPage ? (
        <>
          {' '}
          <a href={keyPage} target="_blank" rel="noopener noreferrer" className="text-accent-text underline">
            {`Get a key from ${label}`}
          </a>
        </>
      ) : null}
    </>
  )
}
