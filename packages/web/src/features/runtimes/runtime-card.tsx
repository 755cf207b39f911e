import type { Fleet, Runtime, SourceStatus } from '../../api/fleet.ts'
import { useConnection } from '../../api/sources.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { focusFirstIn, focusHeading, usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { ConnectionPanel } from './connection-panel.tsx'
import { DeniedTools } from './denied-tools.tsx'
import { GoneBoos } from './gone-boos.tsx'
import { missingWords, planWords, type RuntimeState, runtimeState, shownWords } from './runtime-words.ts'

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

/** What persists in a runtime between runs, and what it could not do in the last one. */
function RuntimeLimits({ runtime }: { readonly runtime: Runtime }) {
  const [plan, missing] = [planWords(runtime), missingWords(runtime)]
  return (
    <>
      {plan === '' ? null : <p className="mt-1 text-sm text-muted">{plan}</p>}
      {missing === null ? null : <p className="mt-1 text-sm">{missing}</p>}
    </>
  )
}
