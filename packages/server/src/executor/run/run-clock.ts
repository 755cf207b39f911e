import type { LimitTripped, RunLimits, RuntimeEvent } from '@clawboo/core/executor'

/** Watches the time of one run. Waiting for a person's answer or for a tool is not idleness. */
export interface RunClock {
  event(event: RuntimeEvent): void
  /** Starts the grace period, in which the run has to end. Later calls have no effect. */
  grace(ms: number): void
  /** Calls the listener when the grace period ends, or at once if it has ended. A new listener replaces the last one. */
  whenGraceEnds(listener: () => void): void
  stop(): void
}

/** Checks a few times per limit instead of setting a timer per event, of which a stream has thousands. */
const CHECKS_PER_LIMIT = 10
const MOST_MS_BETWEEN_CHECKS = 5_000

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
  const check = () => {
    const wall = now() - startedAt
    const idle = openApprovals > 0 || openCalls.size > 0 ? 0 : now() - lastEventAt
    if (wall >= limits.wallMs) tripOnce({ reason: 'time_limit', scope: 'run', figure: wall, cap: limits.wallMs })
    else if (idle >= limits.idleMs) tripOnce({ reason: 'idle_limit', scope: 'run', figure: idle, cap: limits.idleMs })
  }
  const tripOnce = (limit: LimitTripped) => {
    clearInterval(timer)
    trip({ ...limit, figure: Math.round(limit.figure) })
  }
  const every = Math.min(MOST_MS_BETWEEN_CHECKS, Math.max(1, Math.min(limits.wallMs, limits.idleMs) / CHECKS_PER_LIMIT))
  const timer = setInterval(check, every)
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
