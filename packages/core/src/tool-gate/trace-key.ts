import { isEmail, plainNumber, plainPath, webAddress } from './value-shapes.ts'

const MAX_KEY = 300

/** One spelling per value, for looking it up among the values of outside text. */
export function traceKey(value: string): string {
  const trimmed = value.trim().slice(0, 4000)
  if (isEmail(trimmed)) return trimmed.toLowerCase()
  const address = webAddress(trimmed)
  if (address) return `${address.host}${address.path}`.slice(0, MAX_KEY)
  if (/[/\\]/.test(trimmed)) {
    const path = (plainPath(trimmed) ?? trimmed).toLowerCase()
    return path.replace(/^[~./]+|\/+$/g, '').slice(0, MAX_KEY)
  }
  return plainNumber(trimmed).slice(0, MAX_KEY)
}
