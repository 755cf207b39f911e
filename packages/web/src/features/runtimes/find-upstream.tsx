import { type FormEvent, useState } from 'react'
import type { Runtime } from '../../api/fleet.ts'
import { type Connection, type FoundUpstream, useUpstreams } from '../../api/sources.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { Code } from '../../ui/page-header.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useStoredDraft } from '../../ui/state/use-stored-draft.ts'
import { TextField } from '../../ui/text-field.tsx'
import { WithCommands } from './connection-facts.tsx'

/** The upstreams found on this computer, and a form for another address. */
export function FindUpstream(props: {
  readonly runtime: Runtime
  /** The address that is connected or being tried. */
  readonly current: string | null
  readonly trying: string | null
  readonly onConnect: (address: string, secretKnown: boolean) => void
  readonly onAddress: (address: string) => Promise<Connection | null>
}) {
  const { runtime, current, trying } = props
  const { data, error, refetch, isFetching } = useUpstreams(runtime.id)
  usePageActions([
    {
      id: `look-${runtime.id}`,
      title: `Look for ${runtime.label} on this computer`,
      place: 'Runtimes',
      icon: 'search',
      run: () => void refetch(),
    },
  ])
  /** The list may be old: the upstream may have a stored secret by now. */
  const connect = async (shown: FoundUpstream) => {
    const { address, secretKnown } = shown.secretKnown ? shown : (foundAt(shown, (await refetch()).data) ?? shown)
    props.onConnect(address, secretKnown)
  }
  const others = data?.filter(({ address }) => address !== current)
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-sm font-[560]">On this computer</h3>
        <Button kind="quiet" onClick={() => void refetch()} disabled={isFetching}>
          {isFetching ? 'Refreshing' : 'Refresh'}
        </Button>
      </div>
      {others === undefined ? (
        <p role={error ? 'alert' : 'status'} className={error ? 'text-sm text-bad' : 'text-sm text-muted'}>
          {error ? readProblem(error, "what's on this computer").title : `Looking for ${runtime.label}`}
        </p>
      ) : (
        <FoundList
          found={others}
          none={current === null ? `${runtime.label} was not found.` : 'Nothing else was found.'}
          trying={trying}
          onConnect={(found) => void connect(found)}
        />
      )}
      <AddressForm runtime={runtime} isTrying={trying !== null} onSend={props.onAddress} />
      {runtime.connecting ? (
        <p className="text-sm text-muted">
          <WithCommands>{runtime.connecting.help}</WithCommands>
        </p>
      ) : null}
    </div>
  )
}

function foundAt({ address, foundIn }: FoundUpstream, all: readonly FoundUpstream[] | undefined) {
  return all?.find((found) => found.address === address && found.foundIn === foundIn)
}

function FoundList(props: {
  readonly found: readonly FoundUpstream[]
  readonly none: string
  readonly trying: string | null
  readonly onConnect: (found: FoundUpstream) => void
}) {
  if (props.found.length === 0) return <p className="text-sm text-muted">{props.none}</p>
  return (
    <ul className="flex flex-col">
      {props.found.map((found) => (
        <FoundLine
          key={`${found.address} ${found.foundIn}`}
          found={found}
          trying={props.trying}
          onConnect={() => props.onConnect(found)}
        />
      ))}
    </ul>
  )
}

function FoundLine(props: {
  readonly found: FoundUpstream
  readonly trying: string | null
  readonly onConnect: () => void
}) {
  const { found, trying } = props
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2 first:border-0 first:pt-0">
      <span className="min-w-0 break-all">
        <Code>{found.address}</Code>
      </span>
      <Pill tone={found.isRunning ? 'good' : 'plain'}>{found.isRunning ? 'Running' : 'Not running'}</Pill>
      <span className="min-w-0 text-sm break-all text-muted">{`in ${found.foundIn}`}</span>
      <span className="ml-auto">
        <Button
          kind={found.isRunning ? 'primary' : 'plain'}
          aria-label={`Connect ${found.address}`}
          onClick={props.onConnect}
          disabled={trying !== null}
        >
          {trying === found.address ? 'Connecting' : 'Connect'}
        </Button>
      </span>
    </li>
  )
}

/** A form for any other address. The text stays until the server accepts it. */
function AddressForm(props: {
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
