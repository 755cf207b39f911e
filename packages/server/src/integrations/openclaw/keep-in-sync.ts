import type { ConnectionState } from '@clawboo/core/registry'
import type { GatewayConnection, GatewayStatus } from './gateway/gateway-connection.ts'
import { type GatewayFrame, object, text } from './gateway/gateway-frames.ts'

const QUIET_MS = 750
/** Frames that keep coming must not put it off for ever. */
const AT_LATEST_MS = 5_000

/** Syncs when the connection opens, and a moment after frames that may tell of a changed fleet. */
export function keepInSync(
  gateway: GatewayConnection,
  { sync, told }: { readonly sync: () => Promise<void>; readonly told: (state: ConnectionState) => void },
): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null
  let firstAskedAt = 0
  let stops: (() => void)[] = []
  let before: GatewayStatus | null = null

  const soon = () => {
    const now = Date.now()
    if (timer) clearTimeout(timer)
    else firstAskedAt = now
    const wait = Math.max(0, Math.min(QUIET_MS, firstAskedAt + AT_LATEST_MS - now))
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
    if (isNews) told(status.state)
    if (opened) void sync()
    // The same state told again: frames were lost.
    else if (!isNews && status.state === 'connected') soon()
  }

  return {
    start() {
      stops = [gateway.onChange(changed), gateway.onFrame((frame) => mayTellOfFleet(frame) && soon())]
      // It may have been opened already, by a run.
      if (gateway.status().state !== 'disconnected') changed(gateway.status())
    },
    stop() {
      for (const end of stops) end()
      if (timer) clearTimeout(timer)
    },
  }
}

/** Of what an agent says while it works, only that it begins or ends: a text comes in hundreds of frames. */
function mayTellOfFleet({ event, payload }: GatewayFrame): boolean {
  if (event === 'agent') {
    const { stream, data } = object(payload)
    return stream === 'lifecycle' && ['start', 'end', 'error'].includes(text(object(data).phase))
  }
  return event === 'presence' || event === 'heartbeat' || event === 'config.changed'
}
