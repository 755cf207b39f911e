/** How an agent says its own task went, while its run is still under way. */
export interface RunVerdict {
  readonly outcome: 'completed' | 'blocked'
  /** Why it is blocked; null when it is not. */
  readonly reason: string | null
  /** What was done, in the agent's words. */
  readonly summary: string | null
}

/** Where a tool leaves an agent's verdict. It ends nothing: whoever drives the run reads it at the end. */
export interface RunVerdicts {
  /** The last one counts. False = no task is under way in this run. */
  note(runId: string, verdict: RunVerdict): boolean
}

/** The whole of it, for whoever drives the runs. A verdict needs to live no longer than its run, so it is in memory. */
export interface RunVerdictBook extends RunVerdicts {
  /** From now on this run works on a task. */
  begin(runId: string): void
  /** The verdict, or null when there was none. No further one is taken. */
  take(runId: string): RunVerdict | null
}

export function createRunVerdicts(): RunVerdictBook {
  const verdicts = new Map<string, RunVerdict | null>()
  return {
    begin: (runId) => void verdicts.set(runId, null),
    note(runId, verdict) {
      if (!verdicts.has(runId)) return false
      verdicts.set(runId, verdict)
      return true
    },
    take(runId) {
      const verdict = verdicts.get(runId) ?? null
      verdicts.delete(runId)
      return verdict
    },
  }
}
