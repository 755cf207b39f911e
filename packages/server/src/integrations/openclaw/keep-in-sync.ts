import type { ConnectionState } from '@clawboo/core/registry'
import type { GatewayConnection, GatewayStatus } from './gateway/gateway-connection.ts'
import { type GatewayFrame, object, text } from './gateway/gateway-frames.ts'

const QUIET_MS = 750
/** Continuous frames must not delay a sync forever. */
const AT_LATEST_MS = 5_000

/** Syncs when the connection opens, and shortly after frames that may indicate a changed fleet. */
export function keepInSync(
  gateway: GatewayConnection,
  { sync, onState }: { readonly sync: () => Promise<void>; readonly onState: (state: ConnectionState) => void },
): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null
  let firstRequestedAt = 0
  let stops: (() => void)[] = []
  let before: GatewayStatus | null = null

  const soon = () => {
    const now = Date.now()
    if (timer) clearTimeout(timer)
    else firstRequestedAt = now
    const wait = Math.max(0, Math.min(QUIET_MS, firstRequestedAt + AT_LATEST_MS - now))
    timer = setTimeout(() => {
      timer = null
      if (gateway.status().state === 'connected') void sync()
    }, wait)
    timer.unref()
  }
  const changed = (status: GatewayStatus) => {
    const isNews = status.state !== before?.state
    const opened = status.state === 'connected' && (isNews || status.hello !== before?.hello)
    before = status
    if (isNews) onState(status.state)
    if (opened) void sync()
    // The same state reported again means that frames were lost.
    else if (!isNews && status.state === 'connected') soon()
  }

  return {
    start() {
      stops = [gateway.onChange(changed), gateway.onFrame((frame) => mayReportFleetChange(frame) && soon())]
      // A run may already have opened the connection.
      if (gateway.status().state !== 'disconnected') changed(gateway.status())
    },
    stop() {
      for (const end of stops) end()
      if (timer) clearTimeout(timer)
    },
  }
}

/** For an agent's work only its start and end count, because a text arrives in hundreds of frames. */
function mayReportFleetChange({ event, payload }: GatewayFrame): boolean {
  if (event === 'agent') {
    const { stream, data } = object(payload)
    return stream === 'lifecycle' && ['start', 'end', 'error'].includes(text(object(data).phase))
  }
  return event === 'presence' || event === 'heartbeat' || event === 'config.changed'
}
