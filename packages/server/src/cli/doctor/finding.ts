/** What one check found. `advice` says what to do about it. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly detail: string
  readonly advice?: string
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail }
}

export function warn(check: string, detail: string, advice: string): Finding {
  return { check, state: 'warn', detail, advice }
}

export function fail(check: string, detail: string, advice: string): Finding {
  return { check, state: 'fail', detail, advice }
}

/** For a system error, a database's or one of ours: none of them carries a secret in its message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
