/** An agent's own report about its task, while its run is still active. */
export interface RunVerdict {
  readonly outcome: 'completed' | 'blocked'
  /** The reason of `blocked`; null otherwise. */
  readonly reason: string | null
  /** The work done, in the agent's words. */
  readonly summary: string | null
}

export type RunVerdictBook = ReturnType<typeof createRunVerdicts>

/** The verdicts of agents about their own tasks. A verdict is not needed after its run, so it is only in memory. */
export function createRunVerdicts() {
  const verdicts = new Map<string, RunVerdict | null>()
  return {
    /** Registers a run that works on a task. */
    begin: (runId: string) => void verdicts.set(runId, null),
    /**
     * Notes the verdict that a tool reported. The run continues, and the last verdict counts. False = this run works on
     * no task.
     */
    note(runId: string, verdict: RunVerdict): boolean {
      if (!verdicts.has(runId)) return false
      verdicts.set(runId, verdict)
      return true
    },
    /** Returns the verdict at the end of the run, or null when there was none. Later verdicts are refused. */
    take(runId: string): RunVerdict | null {
      const verdict = verdicts.get(runId) ?? null
      verdicts.delete(runId)
      return verdict
    },
  }
}
