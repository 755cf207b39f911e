import type { SourceStatus } from '../../api/fleet.ts'
import { counted, longAge } from '../../ui/words/time-words.ts'

/** The problem of a source, its age, and the effect on its Boos. */
export function staleWords(source: SourceStatus, count: number, now: number): string {
  const state =
    source.trouble === 'broken' ? 'cannot be read' : source.state === 'disconnected' ? 'is not connected' : 'is offline'
  const since = source.lastSyncAt === null ? '' : ` Last seen ${longAge(Math.max(0, now - source.lastSyncAt))} ago.`
  const shown = count === 0 ? '' : ` Its ${counted(count, 'Boo is', 'Boos are')} shown as last seen.`
  return `${source.label} ${state}.${since}${shown}`
}
