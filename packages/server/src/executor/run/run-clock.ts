import type { LimitTripped, RunLimits, RuntimeEvent } from '@clawboo/core/executor'

/** Watches the time of one run. Waiting for a person's answer or for a tool is not idleness. */
export interface RunClock {
  event(event: RuntimeEvent): void
  /** From now on the run has this long to end. */
  grace(ms: number): void
  /** The last one given is called when the grace has run out, or at once when it already has. */
  whenGraceEnds(listener: () => void): void
  stop(): void
}

/** Looks a few times per limit instead of setting a timer per event: a stream has thousands of those. */
const LOOKS_PER_LIMIT = 10
const MOST_MS_BETWEEN_LOOKS = 5_000

export function createRunClock(
  limits: Pick<RunLimits, 'wallMs' | 'idleMs'>,
  trip: (limit: LimitTripped) => void,
  now: () => number = () => performance.now(),
): RunClock {
  const startedAt = now()
  let lastEventAt = startedAt
  let openApprovals = 0
  const openCalls = new Set<string>()
  let graceEnded = false
  let onGraceEnd = () => {}
  let graceTimer: NodeJS.Timeout | undefined
  const look = () => {
    const wall = now() - startedAt
    const idle = openApprovals > 0 || openCalls.size > 0 ? 0 : now() - lastEventAt
    if (wall >= limits.wallMs) tripOnce({ reason: 'time_limit', scope: 'run', figure: wall, cap: limits.wallMs })
    else if (idle >= limits.idleMs) tripOnce({ reason: 'idle_limit', scope: 'run', figure: idle, cap: limits.idleMs })
  }
  const tripOnce = (limit: LimitTripped) => {
    clearInterval(timer)
    trip({ ...limit, figure: Math.round(limit.figure) })
  }
  const every = Math.min(MOST_MS_BETWEEN_LOOKS, Math.max(1, Math.min(limits.wallMs, limits.idleMs) / LOOKS_PER_LIMIT))
  const timer = setInterval(look, every)
  return {
    event(event) {
      lastEventAt = now()
      if (event.type === 'tool-call') openCalls.add(event.callId)
      if (event.type === 'tool-result') openCalls.delete(event.callId)
      if (event.type === 'approval-request') openApprovals += 1
      if (event.type === 'status' && event.state === 'approval-answered') openApprovals -= 1
    },
    grace(ms) {
      graceTimer ??= setTimeout(() => {
        graceEnded = true
        onGraceEnd()
      }, ms)
    },
    whenGraceEnds(listener) {
      onGraceEnd = listener
      if (graceEnded) listener()
    },
    stop() {
      clearInterval(timer)
      clearTimeout(graceTimer)
    },
  }
}
