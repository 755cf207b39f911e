/** The result of one check; `advice` is the next step. */
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

/** For errors of the system, the database or Clawboo itself: none of their messages contains a secret. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
