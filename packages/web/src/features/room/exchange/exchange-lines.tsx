import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { ExchangeView, Room, RoomPost } from '../../../api/room/room.ts'
import { useRoomPost } from '../../../api/room/room-actions.ts'
import { IconButton } from '../../../ui/button.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago } from '../../../ui/words/time-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { chainWords, endWords } from './exchange-words.ts'
import type { Stopping } from './use-stopping.ts'

type Chain = ExchangeView['chains'][number]

/** The requests of an exchange. Each can be stopped on its own. */
export function ChainList(props: {
  readonly teamId: string
  readonly room: Room
  readonly exchange: ExchangeView
  readonly chains: readonly Chain[]
  readonly stopping: Stopping
}) {
  const { exchange, chains } = props
  return (
    <ul aria-label="Requests" className="flex max-h-[20vh] flex-col overflow-y-auto text-muted">
      {chains.map((chain) => (
        <ChainLine key={chain.id} {...props} chain={chain} isFirst={chain.id === exchange.chains[0]?.id} />
      ))}
    </ul>
  )
}

function ChainLine(props: {
  readonly teamId: string
  readonly room: Room
  readonly exchange: ExchangeView
  readonly chain: Chain
  readonly isFirst: boolean
  readonly stopping: Stopping
}) {
  const { teamId, room, exchange, chain, stopping } = props
  // Later chains have only an id; their posts are among the newest.
  const body = usePostBody(teamId, room, { id: chain.id, seq: props.isFirst ? exchange.stimulusSeq : null })
  const words = chainWords(chain.begunBy, body)
  const isAsked = stopping.asked.has(chain.id)
  return (
    <li className="flex min-h-6 items-center gap-3">
      <span className="min-w-0 truncate">{`From ${words}`}</span>
      <PassesFocus>
        <button
          type="button"
          aria-disabled={isAsked}
          aria-label={`Stop this request: ${words}`}
          className={quietAction}
          onClick={() => stopping.stopChain(exchange.id, chain.id)}
        >
          {isAsked ? 'Stopping' : 'Stop this request'}
        </button>
      </PassesFocus>
    </li>
  )
}

const quietAction =
  'shrink-0 rounded-s font-[550] text-accent-text underline-offset-2 hover:underline max-wide:inline-flex max-wide:min-h-10 max-wide:items-center'

/** The body of a post by its id or number; undefined = unknown. */
function usePostBody(teamId: string, room: Room, known: { id?: string; seq: number | null }): string | undefined {
  const { id, seq } = known
  const found = room.posts.findLast((post) => (id === undefined ? post.seq === seq : post.id === id))
  // Scrolling far back unloads newer posts, so the post is kept here.
  const seen = useRef<RoomPost | undefined>(undefined)
  if (found) seen.current = found
  const asked = useRoomPost(teamId, seen.current ? null : seq).data
  const post = seen.current ?? asked ?? undefined
  return post && (id === undefined || post.id === id) ? post.body : undefined
}

interface WaitingProps {
  readonly teamId: string
  readonly room: Room
  readonly stopping: Stopping
}

export function WaitingExchanges({ waiting, ...props }: WaitingProps & { readonly waiting: readonly ExchangeView[] }) {
  return (
    <ol aria-label="Waiting" className="flex max-h-[20vh] flex-col overflow-y-auto">
      {waiting.map((exchange) => (
        <WaitingLine key={exchange.id} {...props} exchange={exchange} />
      ))}
    </ol>
  )
}

function WaitingLine({ teamId, room, stopping, exchange }: WaitingProps & { readonly exchange: ExchangeView }) {
  const body = usePostBody(teamId, room, { seq: exchange.stimulusSeq })
  const words = chainWords(exchange.stimulusSeq === null ? 'board' : 'message', body)
  const isAsked = stopping.asked.has(exchange.id)
  return (
    <li className="flex min-h-6 items-center gap-2.5">
      <Pill tone="outline">Waits</Pill>
      <span className="min-w-0 truncate">{words}</span>
      <PassesFocus>
        <button
          type="button"
          aria-disabled={isAsked}
          aria-label={`Withdraw ${words}`}
          className={quietAction}
          onClick={() => stopping.takeBack(exchange.id)}
        >
          {isAsked ? 'Withdrawing' : 'Withdraw'}
        </button>
      </PassesFocus>
    </li>
  )
}

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
            Change the limits
          </Link>
        ) : remedy === 'settings' ? (
          <Link to="/teams/$teamId/room/settings" params={{ teamId }} className={quietAction}>
            Change the turn limit
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
