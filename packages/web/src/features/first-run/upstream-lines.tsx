import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Runtime, useFleet, useRuntimes } from '../../api/fleet.ts'
import { type FoundUpstream, useConnect, useUpstreams } from '../../api/sources.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { Pill } from '../../ui/pill.tsx'

/** Runtimes with their own Boos on this machine, each with the upstreams that were found. */
export function UpstreamLines() {
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
        <Pill tone="plain">{data ? 'Not found' : error ? 'Not known' : 'Refreshing'}</Pill>
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

/** The feed delivers its Boos. The Runtimes page asks for anything else it needs. */
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
