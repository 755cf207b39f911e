import { type FormEvent, useEffect, useState } from 'react'
import { type Fleet, type Runtime, useSyncSource } from '../../api/fleet.ts'
import { type Connection, type ConnectionRequest, useConnect, useDisconnect } from '../../api/sources.ts'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { announceResult, ProblemLine } from '../../shared/problem.tsx'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Code } from '../../ui/page-header.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { sentence } from '../../ui/words/sentence.ts'
import { counted } from '../../ui/words/time-words.ts'
import { ConnectionFacts, ConnectionTrouble } from './connection-facts.tsx'
import { FindUpstream } from './find-upstream.tsx'
import { endWords, wantsSecret } from './runtime-words.ts'

interface PanelProps {
  readonly runtime: Runtime
  readonly fleet: Fleet
  readonly connection: Connection
}

export function ConnectionPanel(props: PanelProps) {
  const { runtime, connection } = props
  const { send, trying, problem, spoken, asked, ask } = useConnecting(runtime, connection)
  const isConnected = connection.state === 'connected'
  const wanted = wantsSecret(connection) ? connection.address : null
  const secretFor = isConnected ? null : (asked ?? wanted)
  return (
    <div className="mt-3 flex flex-col gap-3">
      {connection.problem && trying === null ? <ConnectionTrouble problem={connection.problem} /> : null}
      <p role="status" className="sr-only">
        {spoken}
      </p>
      <ProblemLine>{problem}</ProblemLine>
      {isConnected ? <ConnectionFacts connection={connection} /> : null}
      {secretFor === null ? null : (
        <SecretForm
          key={secretFor}
          runtime={runtime}
          address={secretFor}
          takesFocus={asked !== null}
          isTrying={trying !== null}
          onSend={(secret) => {
            ask(secretFor)
            void send({ address: secretFor, secret })
          }}
          onCancel={asked === null || asked === wanted ? undefined : () => ask(null)}
        />
      )}
      {connection.address === null ? null : (
        <div className="flex flex-wrap gap-2">
          {isConnected ? (
            <RefreshNow sourceId={runtime.id} label={runtime.label} />
          ) : secretFor !== null ? null : (
            <Button onClick={() => void send({ address: connection.address! })} disabled={trying !== null}>
              {trying === connection.address ? 'Connecting' : 'Try now'}
            </Button>
          )}
          <EndConnection {...props} />
        </div>
      )}
      {isConnected ? null : (
        <FindUpstream
          runtime={runtime}
          current={connection.address}
          trying={trying}
          onConnect={(address, secretKnown) => (secretKnown ? void send({ address }) : ask(address))}
          onAddress={(address) => send({ address })}
        />
      )}
    </div>
  )
}

function EndConnection(props: PanelProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        {endWords(props.connection).button}
      </Button>
      {isAsking ? <DisconnectDialog {...props} onClose={() => setAsking(false)} /> : null}
    </>
  )
}

function RefreshNow({ sourceId, label }: { sourceId: string; label: string }) {
  const sync = useSyncSource()
  const refresh = () => announceResult(sync.mutateAsync(sourceId), `${label} is up to date`, `refresh ${label}`)
  return (
    <Button onClick={refresh} disabled={sync.isPending}>
      {sync.isPending ? 'Refreshing' : 'Refresh'}
    </Button>
  )
}

/** Lists what stays before a connection is ended. */
function DisconnectDialog(props: {
  readonly runtime: Runtime
  readonly fleet: Fleet
  readonly connection: Connection
  readonly onClose: () => void
}) {
  const { runtime, fleet, connection, onClose } = props
  const disconnect = useDisconnect(runtime.id)
  const words = endWords(connection)
  const count = fleet.agents.filter((agent) => agent.sourceId === runtime.id).length
  return (
    <ConfirmDialog
      title={words.title(runtime.label)}
      change={disconnect}
      action="disconnect"
      confirm={[words.button, 'Disconnecting']}
      keep={words.keep}
      kind="primary"
      onClose={onClose}
      onDone={() => {
        announce(`${runtime.label} is disconnected`)
        onClose()
      }}
    >
      {count > 0 ? (
        <p>
          {`Its ${counted(count, 'Boo stays', 'Boos stay')} readable here and ${count === 1 ? 'is' : 'are'} marked as last seen. You cannot change or run them until you reconnect.`}
        </p>
      ) : null}
      <p>
        {`Nothing changes at ${connection.address ?? runtime.label}. The secret is deleted here. Connecting again may ask for it.`}
      </p>
    </ConfirmDialog>
  )
}

/** The attempts to connect a runtime, and their results. */
function useConnecting(runtime: Runtime, connection: Connection) {
  const [asked, ask] = useState<string | null>(null)
  const [trying, setTrying] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [spoken, setSpoken] = useState('')
  const connect = useConnect(runtime.id)
  const isConnected = connection.state === 'connected'
  useEffect(() => {
    // Otherwise the secret form would reappear when the connection is next lost.
    if (isConnected) ask(null)
  }, [isConnected])
  const send = async (request: ConnectionRequest) => {
    setTrying(request.address)
    setProblem(null)
    setSpoken('')
    try {
      const answer = await connect(request)
      if (answer.problem) setSpoken(`Not connected. ${sentence(answer.problem.message)}`)
      else if (answer.state === 'connected') announce(`${runtime.label} is connected`)
      ask(wantsSecret(answer) ? (answer.address ?? request.address) : null)
      return answer
    } catch (error) {
      setProblem(problemWords(error, 'connect'))
      return null
    } finally {
      setTrying(null)
    }
  }
  return {
    send,
    /** The address that this page is connecting to. */
    trying,
    /** Why the server did not accept the address. */
    problem,
    /** The result, for a screen reader. */
    spoken,
    /** The address that needs a secret. */
    asked,
    ask,
  }
}

/** Asks for the secret of one address. The secret exists only in this field. */
function SecretForm(props: {
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
