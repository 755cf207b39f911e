import type { Fleet, Runtime } from '../../api/fleet.ts'
import { type Connection, useDisconnect } from '../../api/sources.ts'
import { Problem } from '../../shared/problem.tsx'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { counted } from '../../ui/words/time-words.ts'
import { endWords } from './runtime-words.ts'

/** Lists what stays before a connection is ended. */
export function DisconnectDialog(props: {
  readonly runtime: Runtime
  readonly fleet: Fleet
  readonly connection: Connection
  readonly onClose: () => void
}) {
  const { runtime, fleet, connection, onClose } = props
  const disconnect = useDisconnect(runtime.id)
  const words = endWords(connection)
  const count = fleet.agents.filter((agent) => agent.sourceId === runtime.id).length
  // Not `mutate`: an event may unmount this dialog before the response, and its callbacks would not run.
  const end = () =>
    disconnect.mutateAsync().then(
      () => {
        announce(`${runtime.label} is disconnected`)
        onClose()
      },
      () => undefined,
    )
  return (
    <Dialog title={words.title(runtime.label)} onClose={onClose}>
      <div className="flex flex-col gap-2 text-muted">
        {count > 0 ? (
          <p>
            {`Its ${counted(count, 'Boo stays', 'Boos stay')} readable here and ${count === 1 ? 'is' : 'are'} marked as last seen. You cannot change or run them until you reconnect.`}
          </p>
        ) : null}
        <p>
          {`Nothing changes at ${connection.address ?? runtime.label}. The secret is deleted here. Connecting again may ask for it.`}
        </p>
      </div>
      <Problem error={disconnect.error} action="disconnect" className="mt-2" />
      <DialogActions>
        <Button onClick={onClose}>{words.keep}</Button>
        <Button kind="primary" onClick={() => void end()} disabled={disconnect.isPending}>
          {disconnect.isPending ? 'Disconnecting' : words.button}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
