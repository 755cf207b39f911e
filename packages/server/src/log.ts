import type { LogLevel } from './config.ts'

/** Writes one JSON object per line to stderr. Never pass it a secret: it writes everything it receives. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

const WEIGHT = { debug: 20, info: 30, warn: 40, error: 50, silent: 100 } satisfies Record<LogLevel, number>

export function createLog(level: LogLevel, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  const at =
    (name: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (WEIGHT[name] < WEIGHT[level]) return
      write(`${JSON.stringify({ level: WEIGHT[name], time: Date.now(), msg: message, ...plainErrors(fields) })}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** An Error has no enumerable fields of its own, so JSON would print `{}` for it. */
function plainErrors(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value,
    ]),
  )
}
