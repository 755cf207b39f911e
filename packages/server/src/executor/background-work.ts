const RETRY_MS = 1_000

/** Runs one pass at a time, and another one while `hasMore`. A failed pass is retried after a second. */
export function createBackgroundWork(options: {
  pass(): Promise<void>
  hasMore(): boolean
  onError(error: unknown): void
}) {
  let isClosed = true
  let active: Promise<void> | null = null
  let retry: NodeJS.Timeout | undefined
  const run = (): Promise<void> => {
    if (isClosed) return Promise.resolve()
    active ??= options
      .pass()
      .catch((error: unknown) => {
        options.onError(error)
        retry ??= setTimeout(() => {
          retry = undefined
          void run()
        }, RETRY_MS).unref()
      })
      .finally(() => {
        active = null
        if (options.hasMore() && retry === undefined) void run()
      })
    return active
  }
  return {
    /** Starts a pass, or joins the active one. Never rejects. */
    run,
    /** Allows work to start. */
    open() {
      isClosed = false
    },
    get isClosed() {
      return isClosed
    },
    get isRunning() {
      return active !== null
    },
    /** Waits for the active pass and starts no other. */
    async close() {
      isClosed = true
      clearTimeout(retry)
      await active
    },
  }
}
