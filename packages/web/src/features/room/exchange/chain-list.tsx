import type { ExchangeView, Room } from '../../../api/room/room.ts'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { chainWords } from './exchange-words.ts'
import { quietAction } from './quiet-action.ts'
import { usePostBody } from './use-post-body.ts'
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
