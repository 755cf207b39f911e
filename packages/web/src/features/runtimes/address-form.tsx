import { type FormEvent, useState } from 'react'
import type { Runtime } from '../../api/fleet.ts'
import type { Connection } from '../../api/sources.ts'
import { Button } from '../../ui/button.tsx'
import { useStoredDraft } from '../../ui/state/use-stored-draft.ts'
import { TextField } from '../../ui/text-field.tsx'

/** A form for any other address. The text stays until the server accepts it. */
export function AddressForm(props: {
  readonly runtime: Runtime
  readonly isTrying: boolean
  /** Resolves to null if the server did not accept the address. */
  readonly onSend: (address: string) => Promise<Connection | null>
}) {
  const { runtime } = props
  const [address, setAddress, wasSent] = useStoredDraft(`connect-${runtime.id}`)
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (address.trim() === '') return setProblem('Type an address first.')
    if (await props.onSend(address.trim())) wasSent(address)
  }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-wrap items-end gap-2">
      <TextField
        className="min-w-[200px] flex-1"
        label={runtime.connecting?.addressLabel ?? 'Address'}
        placeholder={runtime.connecting?.addressExample}
        name={`address-of-${runtime.id}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={500}
        value={address}
        error={problem}
        onChange={(event) => {
          setAddress(event.target.value)
          setProblem(undefined)
        }}
      />
      <Button type="submit" disabled={props.isTrying} className="h-[34px]">
        Connect this address
      </Button>
    </form>
  )
}
