import { Link } from '@tanstack/react-router'
import type { ExchangeView } from '../../../api/room/room.ts'
import { IconButton } from '../../../ui/button.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago } from '../../../ui/words/time-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { endWords } from './exchange-words.ts'
import { quietAction } from './quiet-action.ts'

/** The end of the last exchange, with a link to the settings that can change it. */
export function EndedLine(props: {
  readonly teamId: string
  readonly exchange: ExchangeView
  readonly members: RoomMembers
  readonly onDismiss: () => void
}) {
  const { teamId, exchange, members } = props
  const now = useNow()
  const { text, tone, remedy } = endWords(exchange, members.nameOf)
  return (
    <div className="flex items-center gap-3">
      <p className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
        <span className={tone === 'needs' ? 'text-needs' : 'text-muted'}>{text}</span>
        {remedy === 'limits' ? (
          <Link to="/settings/limits" className={quietAction}>
            Look at the limits
          </Link>
        ) : remedy === 'settings' ? (
          <Link to="/teams/$teamId/room/settings" params={{ teamId }} className={quietAction}>
            Change the bound
          </Link>
        ) : null}
        {exchange.endedAt === null ? null : (
          <span className="text-muted tabular-nums">{ago(exchange.endedAt, now)}</span>
        )}
      </p>
      <PassesFocus>
        <IconButton icon="close" label="Dismiss" className="-mr-2" onClick={props.onDismiss} />
      </PassesFocus>
    </div>
  )
}
