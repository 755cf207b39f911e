import { useState } from 'react'
import type { Agent, Fleet, Runtime, SourceStatus } from '../../api/fleet.ts'
import { useConnection, useGoneAgents, useRemoveGone } from '../../api/sources.ts'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { Loaded } from '../../shared/loaded.tsx'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { focusFirstIn, focusHeading, usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { counted } from '../../ui/words/time-words.ts'
import { ConnectionPanel } from './connection-panel.tsx'
import { DeniedTools } from './denied-tools.tsx'
import { missingWords, namesWords, planWords, type RuntimeState, runtimeState, shownWords } from './runtime-words.ts'

interface CardProps {
  readonly runtime: Runtime
  readonly fleet: Fleet
}

export function RuntimeCard(props: CardProps) {
  const { runtime, fleet } = props
  const source = fleet.sources.find(({ sourceId }) => sourceId === runtime.id)
  if (source?.connectable) return <ConnectableCard {...props} source={source} />
  return <CardFrame {...props} source={source} state={runtimeState(source, undefined, 0)} />
}

function ConnectableCard({ source, ...rest }: CardProps & { readonly source: SourceStatus }) {
  const connection = useConnection(source.sourceId)
  const now = useNow()
  return (
    <CardFrame {...rest} source={source} state={runtimeState(source, connection.data, now)}>
      <Loaded reading={connection} name="its connection" inLine="mt-3 text-sm">
        {(data) => (
          <>
            <ConnectionPanel runtime={rest.runtime} fleet={rest.fleet} connection={data} />
            {data.state === 'connected' && source.hasToolPolicy ? <DeniedTools source={source} /> : null}
            <GoneBoos source={source} isConnected={data.state === 'connected'} />
          </>
        )}
      </Loaded>
    </CardFrame>
  )
}

function CardFrame(
  props: CardProps & {
    readonly source: SourceStatus | undefined
    readonly state: RuntimeState
    readonly children?: React.ReactNode
  },
) {
  const { runtime, fleet, source, state } = props
  const now = useNow()
  const card = usePassesFocus<HTMLLIElement>(() => {
    if (!focusFirstIn(card.current)) focusHeading()
  })
  const on = fleet.agents.filter((agent) => agent.runtime === runtime.id)
  const boos = on.filter((agent) => agent.participantKind === 'agent').length
  return (
    <li ref={card} aria-label={runtime.label} className="max-w-[760px] shrink-0 rounded-m border border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h2 className="text-base font-[590]">{runtime.label}</h2>
        <span className="ml-auto">
          <Pill tone={state.tone}>{state.word}</Pill>
        </span>
      </div>
      <p className="mt-0.5 text-muted">{runtime.description}</p>
      <p className="mt-2 text-sm">
        {state.line} {shownWords(source, { boos, people: on.length - boos }, now)}
      </p>
      <RuntimeLimits runtime={runtime} />
      {props.children}
    </li>
  )
}

/** Shows what persists in a runtime between runs, and what it could not do in the last one. */
function RuntimeLimits({ runtime }: { readonly runtime: Runtime }) {
  const [plan, missing] = [planWords(runtime), missingWords(runtime)]
  return (
    <>
      {plan === '' ? null : <p className="mt-1 text-sm text-muted">{plan}</p>}
      {missing === null ? null : <p className="mt-1 text-sm">{missing}</p>}
    </>
  )
}

/** Boos that were deleted at the upstream. They are not in the fleet, and are kept until a person removes them. */
function GoneBoos({ source, isConnected }: { source: SourceStatus; isConnected: boolean }) {
  const [removing, setRemoving] = useState(false)
  const gone = useGoneAgents().data?.filter((agent) => agent.sourceId === source.sourceId) ?? []
  if (gone.length === 0) return null
  const boos = counted(gone.length, 'Boo no longer exists', 'Boos no longer exist')
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-3 text-sm">
      <p className="min-w-0 flex-1 basis-60 text-muted">
        {`${boos} there: ${namesWords(gone.map(({ displayName }) => displayName))}. ${gone.length === 1 ? 'Its data is kept here in case it returns.' : 'Their data is kept here in case they return.'}`}
        {isConnected ? '' : ' To remove them, connect it first.'}
      </p>
      {isConnected ? (
        <Button kind="danger" onClick={() => setRemoving(true)}>
          {`Remove ${counted(gone.length, 'Boo')}`}
        </Button>
      ) : null}
      {removing ? <RemoveDialog source={source} gone={gone} onClose={() => setRemoving(false)} /> : null}
    </div>
  )
}

function RemoveDialog(props: {
  readonly source: SourceStatus
  readonly gone: readonly Agent[]
  readonly onClose: () => void
}) {
  const { source, gone, onClose } = props
  const remove = useRemoveGone(source.sourceId)
  return (
    <ConfirmDialog
      title={`Remove ${counted(gone.length, 'Boo')} for good?`}
      change={remove}
      action="remove them"
      confirm={['Remove for good', 'Removing']}
      keep="Keep them"
      onClose={onClose}
      onDone={({ removed }) => {
        announce(
          removed.length === 0 ? 'Nothing was removed. They are back.' : `Removed ${counted(removed.length, 'Boo')}`,
        )
        onClose()
      }}
    >
      <p>{`${source.label} no longer has them:`}</p>
      <ul className="max-h-40 list-disc overflow-y-auto pl-5 text-text">
        {gone.map((agent) => (
          <li key={agent.id} className="break-words">
            {agent.displayName}
          </li>
        ))}
      </ul>
      <p>
        This deletes their files with history, conversations, runs and memories here. Their messages in rooms and the
        tasks they worked on stay. Boos that are back by then are kept.
      </p>
    </ConfirmDialog>
  )
}
