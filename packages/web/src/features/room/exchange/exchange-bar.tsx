import { type ReactNode, useEffect, useId, useState } from 'react'
import type { ExchangeView, Room } from '../../../api/room/room.ts'
import { useExchange } from '../../../api/room/room-actions.ts'
import type { Team } from '../../../api/teams.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icon.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { useEscapeTwice } from '../../../ui/keyboard/shortcuts.ts'
import { usePageActions } from '../../../ui/page-actions.ts'
import { Pill } from '../../../ui/pill.tsx'
import { readStored, writeStored } from '../../../ui/state/stored-text.ts'
import { counted } from '../../../ui/words/time-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { ChainList, EndedLine, WaitingExchanges } from './exchange-lines.tsx'
import { endWords, livingChains, owedWords, speakingWords, turnWords } from './exchange-words.ts'
import { type Stopping, useStopping } from './use-stopping.ts'

interface BarProps {
  readonly team: Team
  readonly room: Room
  readonly members: RoomMembers
}

export function ExchangeBar(props: BarProps) {
  return <TeamExchangeBar key={props.team.id} {...props} />
}

function TeamExchangeBar({ team, room, members }: BarProps) {
  const stopping = useStopping(team.id)
  const { ended, dismiss } = useEndedExchange(team.id, room)
  const running = room.exchanges.find(({ status }) => status === 'running')
  const waiting = room.exchanges.filter(({ status }) => status === 'queued')
  const stop = () => {
    if (running) stopping.stopExchange(running.id)
  }
  const escaped = useEscapeTwice(running !== undefined, stop)
  usePageActions(
    running ? [{ id: 'stop-exchange', title: 'Stop', place: team.name, icon: 'stop', keys: 'Esc Esc', run: stop }] : [],
  )
  const announcement = running
    ? speakingWords(running, members.nameOf)
    : ended
      ? endWords(ended, members.nameOf).text
      : ''
  const chains = running ? livingChains(running) : []
  const isShown = running !== undefined || waiting.length > 0 || ended !== null
  return (
    <>
      {isShown ? (
        <section
          aria-label="In progress now"
          className="flex shrink-0 flex-col gap-1 border-b border-line px-5 py-1.5 text-sm"
        >
          {running ? (
            <RunningLine exchange={running} members={members} escaped={escaped} stopping={stopping} />
          ) : ended ? (
            <EndedLine teamId={team.id} exchange={ended} members={members} onDismiss={dismiss} />
          ) : null}
          <FoldedOnPhone chains={chains.length} waiting={waiting.length}>
            {running && chains.length > 0 ? (
              <ChainList teamId={team.id} room={room} exchange={running} chains={chains} stopping={stopping} />
            ) : null}
            {waiting.length > 0 ? (
              <WaitingExchanges teamId={team.id} room={room} waiting={waiting} stopping={stopping} />
            ) : null}
          </FoldedOnPhone>
        </section>
      ) : null}
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </>
  )
}

/** On a phone more than one line would leave no space for the messages. */
function FoldedOnPhone(props: { readonly chains: number; readonly waiting: number; readonly children: ReactNode }) {
  const { chains, waiting, children } = props
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  if (chains + waiting < 2) return children
  const words = [
    ...(chains === 0 ? [] : [counted(chains, 'request')]),
    ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'}`]),
  ]
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="-my-1 flex min-h-10 items-center gap-1.5 self-start rounded-s font-[550] text-accent-text wide:hidden"
      >
        {words.join(', ')}
        <Icon name={isOpen ? 'up' : 'down'} size={14} />
      </button>
      <div id={id} className={classNames('flex flex-col gap-1', !isOpen && 'max-wide:hidden')}>
        {children}
      </div>
    </>
  )
}

function RunningLine(props: {
  readonly exchange: ExchangeView
  readonly members: RoomMembers
  readonly escaped: boolean
  readonly stopping: Stopping
}) {
  const { exchange, members, stopping } = props
  const owed = owedWords(exchange, members.nameOf)
  const isStopping = stopping.asked.has(exchange.id)
  return (
    <div className="flex items-center gap-3">
      <p className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1">
        <Pill tone="working">
          <span className="size-1.5 rounded-full bg-current" />
          <span className="tabular-nums">{turnWords(exchange)}</span>
        </Pill>
        <span>{speakingWords(exchange, members.nameOf)}</span>
        {owed === '' ? null : <span className="text-muted">{owed}</span>}
      </p>
      <PassesFocus>
        <Button
          kind="danger"
          icon="stop"
          aria-disabled={isStopping}
          title="Stop all of this exchange"
          onClick={() => stopping.stopExchange(exchange.id)}
        >
          {isStopping ? 'Stopping' : props.escaped ? 'Esc again stops' : 'Stop'}
        </Button>
      </PassesFocus>
    </div>
  )
}

const keyOf = (teamId: string) => `clawboo.room-exchange.${teamId}`

/** The last ended exchange, until another one starts or the person dismisses it; also one that ended while no page was open. */
function useEndedExchange(teamId: string, room: Room): { ended: ExchangeView | null; dismiss: () => void } {
  const running = room.exchanges.find(({ status }) => status === 'running')
  /** The last exchange seen running, by this page or an earlier one. */
  const [followed, setFollowed] = useState(() => readStored(keyOf(teamId)))
  const [dismissed, setDismissed] = useState<string | null>(null)
  const runningId = running?.id
  useEffect(() => {
    if (runningId === undefined) return
    writeStored(keyOf(teamId), runningId)
    setFollowed(runningId)
  }, [teamId, runningId])
  const isKnown = room.ended?.id === followed || room.exchanges.some(({ id }) => id === followed)
  const asked = useExchange(running || isKnown ? null : followed).data
  const last = newest(room.ended, asked?.status === 'ended' ? asked : null)
  const dismiss = () => {
    writeStored(keyOf(teamId), null)
    setDismissed(last?.id ?? null)
  }
  return { ended: running || last?.id === dismissed ? null : last, dismiss }
}

function newest(one: ExchangeView | null, other: ExchangeView | null): ExchangeView | null {
  if (!one || !other) return one ?? other
  return other.ordinal > one.ordinal ? other : one
}
