import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Runtime, useFleet, useRuntimes } from '../../api/fleet.ts'
import { type LocalProgram, useLocalPrograms } from '../../api/providers.ts'
import { type FoundUpstream, useConnect, useUpstreams } from '../../api/sources.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ChoiceCard, ModelStep } from './model-step.tsx'

export function LocalChoice() {
  const programs = useLocalPrograms()
  const { data, refetch, isFetching } = programs
  const [usedId, setUsedId] = useState<string | null>(null)
  const used = data?.find(({ id, found }) => found && id === usedId)
  return (
    <ChoiceCard title="Use what's on this computer" about="Local model servers and agent programs.">
      {used ? (
        <ModelStep words={`You are using ${used.label}.`} providers={[{ models: used.models.map(asModel) }]} />
      ) : (
        <Loaded reading={programs} name="what's on this computer" inLine="text-sm">
          {(data) => (
            <ul className="flex flex-col">
              {data.map((program) => (
                <ProgramLine
                  key={program.id}
                  program={program}
                  looking={isFetching}
                  onUse={() => setUsedId(program.id)}
                  onLook={() => void refetch()}
                />
              ))}
              <UpstreamLines />
            </ul>
          )}
        </Loaded>
      )}
    </ChoiceCard>
  )
}

function ProgramLine(props: {
  readonly program: LocalProgram
  readonly looking: boolean
  readonly onUse: () => void
  readonly onLook: () => void
}) {
  const { program } = props
  const usable = program.found && program.models.length > 0
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2 first:border-0">
      <span className="font-[560]">{program.label}</span>
      <Pill tone={program.found ? 'good' : 'plain'}>{program.found ? 'Found' : 'Not found'}</Pill>
      {program.detail ? <span className="min-w-0 text-sm text-muted">{program.detail}</span> : null}
      <span className="ml-auto">
        {usable ? (
          <Button onClick={props.onUse}>{`Use ${program.label}`}</Button>
        ) : (
          <Button onClick={props.onLook} disabled={props.looking}>
            {props.looking ? 'Refreshing' : 'Refresh'}
          </Button>
        )}
      </span>
    </li>
  )
}

function asModel(ref: string) {
  return { ref, id: ref, label: ref.slice(ref.indexOf('/') + 1), contextWindowTokens: null, price: null }
}

/** Runtimes with their own Boos on this machine, each with the upstreams that were found. */
function UpstreamLines() {
  const runtimes = useRuntimes().data ?? []
  const sources = useFleet().data?.sources ?? []
  const connectable = new Set(sources.filter((source) => source.connectable).map(({ sourceId }) => sourceId))
  return runtimes
    .filter(({ id }) => connectable.has(id))
    .map((runtime) => <UpstreamLine key={runtime.id} runtime={runtime} />)
}

function UpstreamLine({ runtime }: { runtime: Runtime }) {
  const { data, error, refetch, isFetching } = useUpstreams(runtime.id)
  const found = bestOf(data)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line py-2 first:border-0">
      <span className="font-[560]">{runtime.label}</span>
      {found ? (
        <>
          <Pill tone={found.isRunning ? 'good' : 'plain'}>{found.isRunning ? 'Running' : 'Not running'}</Pill>
          <span className="min-w-0 text-sm break-all text-muted">{found.address}</span>
        </>
      ) : (
        <Pill tone="plain">{data ? 'Not found' : error ? 'Unknown' : 'Refreshing'}</Pill>
      )}
      <span className="ml-auto">
        {found?.isRunning ? (
          <ConnectFound runtime={runtime} found={found} look={async () => bestOf((await refetch()).data)} />
        ) : (
          <Button onClick={() => void refetch()} disabled={isFetching}>
            {isFetching ? 'Refreshing' : 'Refresh'}
          </Button>
        )}
      </span>
    </li>
  )
}

function bestOf(found: readonly FoundUpstream[] | undefined): FoundUpstream | undefined {
  return found?.find(({ isRunning }) => isRunning) ?? found?.[0]
}

/** The feed delivers the Boos of the upstream. The Runtimes page asks for a missing secret. */
function ConnectFound(props: {
  readonly runtime: Runtime
  readonly found: FoundUpstream
  readonly look: () => Promise<FoundUpstream | undefined>
}) {
  const { runtime, look } = props
  const connect = useConnect(runtime.id)
  const navigate = useNavigate()
  const [isTrying, setTrying] = useState(false)
  const start = async () => {
    setTrying(true)
    // The list may be old: the upstream may have a stored secret by now.
    const found = props.found.secretKnown ? props.found : ((await look()) ?? props.found)
    // On any failure the person continues on the Runtimes page, which shows the reason.
    const connection = found.secretKnown ? await connect({ address: found.address }).catch(() => null) : null
    if (connection?.state !== 'connected') return void navigate({ to: '/runtimes' })
    announce(`${runtime.label} is connected`)
    setTrying(false)
  }
  return (
    <Button onClick={() => void start()} disabled={isTrying}>
      {isTrying ? 'Connecting' : `Connect ${runtime.label}`}
    </Button>
  )
}
