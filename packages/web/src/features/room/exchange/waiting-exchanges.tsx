import type { ExchangeView, Room } from '../../../api/room/room.ts'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { chainWords } from './exchange-words.ts'
import { quietAction } from './quiet-action.ts'
import { usePostBody } from './use-post-body.ts'
import type { Stopping } from './use-stopping.ts'

interface WaitingProps {
  readonly teamId: string
  readonly room: Room
  readonly stopping: Stopping
}

/** The exchanges that wait for the current one, in order. */
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
          aria-label={`Take back ${words}`}
          className={quietAction}
          onClick={() => stopping.takeBack(exchange.id)}
        >
          {isAsked ? 'Taking back' : 'Take back'}
        </button>
      </PassesFocus>
    </li>
  )
}
