import { type FormEvent, useState } from 'react'
import type { Runtime } from '../../api/fleet.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Code } from '../../ui/page-header.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Asks for the secret of one address. The browser keeps it only in this field. */
export function SecretForm(props: {
  readonly runtime: Runtime
  readonly address: string
  /** Whether the field gets the focus, because the person just asked for it. */
  readonly takesFocus: boolean
  readonly isTrying: boolean
  readonly onSend: (secret: string) => void
  readonly onCancel?: () => void
}) {
  const { runtime, address } = props
  const [secret, setSecret] = useState('')
  const [problem, setProblem] = useState<string>()
  const label = runtime.connecting?.secretLabel ?? 'Secret'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (secret.trim() === '') setProblem('Type it first.')
    else props.onSend(secret)
  }
  return (
    <form onSubmit={submit} noValidate autoComplete="off" className="flex flex-col gap-3">
      <LeaveGuard isDirty={() => secret.trim() !== ''} />
      <TextField
        label={label}
        type="password"
        name="upstream-secret"
        autoComplete="off"
        autoFocus={props.takesFocus}
        spellCheck={false}
        data-1p-ignore
        data-lpignore="true"
        maxLength={4_000}
        value={secret}
        error={problem}
        onChange={(event) => {
          setSecret(event.target.value)
          setProblem(undefined)
        }}
        hint={
          <>
            For <Code>{address}</Code>. It is kept encrypted on this machine and never shown again.
          </>
        }
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" disabled={props.isTrying}>
          {props.isTrying ? 'Connecting' : 'Connect'}
        </Button>
        {props.onCancel ? <Button onClick={props.onCancel}>Cancel</Button> : null}
      </div>
    </form>
  )
}
