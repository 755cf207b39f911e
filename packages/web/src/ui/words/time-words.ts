const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** "40 s", "4 min", "2 h", "3 d", "5 mo", "2 y": for pills and columns. */
export function shortAge(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`
  if (ms < 60 * DAY) return `${Math.floor(ms / DAY)} d`
  if (ms < 730 * DAY) return `${Math.floor(ms / (30 * DAY))} mo`
  return `${Math.floor(ms / (365 * DAY))} y`
}

/** "4 minutes": for sentences. */
export function longAge(ms: number): string {
  if (ms < MINUTE) return counted(Math.max(0, Math.floor(ms / SECOND)), 'second')
  if (ms < HOUR) return counted(Math.floor(ms / MINUTE), 'minute')
  if (ms < DAY) return counted(Math.floor(ms / HOUR), 'hour')
  return counted(Math.floor(ms / DAY), 'day')
}

export function ago(at: number, now: number): string {
  return now - at < MINUTE ? 'just now' : `${shortAge(now - at)} ago`
}

/** "14:02" today, "3 Nov 14:02" this year, "3 Nov 2024" before. */
export function clockWords(at: number, now: number): string {
  const date = new Date(at)
  const today = new Date(now)
  if (date.toDateString() === today.toDateString()) return clock.format(date)
  if (date.getFullYear() === today.getFullYear()) return `${dayMonth.format(date)} ${clock.format(date)}`
  return fullDate.format(date)
}

/** "18 Nov" for the day "2026-11-18". */
export function utcDayWords(day: string): string {
  return utcDay.format(new Date(day))
}

export function exactTime(at: number): string {
  return exact.format(new Date(at))
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${wholeNumber.format(count)} ${count === 1 ? noun : plural}`
}

const wholeNumber = new Intl.NumberFormat('en-GB')
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const utcDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const fullDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
