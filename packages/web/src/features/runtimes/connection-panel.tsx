import { useState } from 'react'
import { type Fleet, type Runtime, useSyncSource } from '../../api/fleet.ts'
import type { Connection } from '../../api/sources.ts'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { ConnectionFacts, ConnectionTrouble } from './connection-facts.tsx'
import { DisconnectDialog } from './disconnect-dialog.tsx'
import { FindUpstream } from './find-upstream.tsx'
import { endWords, wantsSecret } from './runtime-words.ts'
import { SecretForm } from './secret-form.tsx'
import { useConnecting } from './use-connecting.ts'

interface PanelProps {
  readonly runtime: Runtime
  readonly fleet: Fleet
  readonly connection: Connection
}

/** Connects, repairs and disconnects an upstream. */
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
  const refresh = () =>
    sync.mutate(sourceId, {
      onSuccess: () => announce(`${label} is up to date`),
      onError: (error) => announce(problemWords(error, `refresh ${label}`), 'bad'),
    })
  return (
    <Button onClick={refresh} disabled={sync.isPending}>
      {sync.isPending ? 'Refreshing' : 'Refresh'}
    </Button>
  )
}
