import type { OperationOutput } from '@clawboo/api/client'
import { formatColumns } from '../terminal/format-columns.ts'
import { visibleText } from '../terminal/visible-text.ts'

export type Source = OperationOutput<'listSources'>['sources'][number]
export type Connection = OperationOutput<'getConnection'>

export interface ListedSource extends Source {
  /** Absent for a source that cannot be connected. */
  readonly connection?: Connection
}

export function sourcesText(sources: readonly ListedSource[], now: number): string {
  const rows = sources.map((source) => [
    source.label,
    stateWord(source),
    source.lastSyncAt === null ? '-' : `${ageWords(now - source.lastSyncAt)}${source.stale ? ', as last seen' : ''}`,
    String(source.agentCount),
    problemOf(source) ?? '-',
  ])
  return formatColumns([['SOURCE', 'STATE', 'AGE', 'BOOS', 'PROBLEM'], ...rows])
}

/** Describes a connection after connecting or disconnecting. */
export function connectionText(label: string, connection: Connection): string {
  const { state, address, version, problem } = connection
  const name = line(label)
  const at = address === null ? '' : ` at ${line(address)}`
  if (state === 'connected' && !problem)
    return `${name} is connected${at}${version === null ? '' : `, version ${line(version)}`}`
  if (!problem) return `${name} is ${STATE_WORDS[state]}${at}`
  const goesOn = state === 'connecting' || state === 'reconnecting' ? ' Clawboo keeps trying.' : ''
  return [`${name} is ${STATE_WORDS[state]}${at}: ${sentence(problem.message)}${goesOn}`, line(problem.remedy)].join(
    '\n',
  )
}

const STATE_WORDS: Readonly<Record<Source['state'], string>> = {
  connected: 'connected',
  connecting: 'connecting',
  reconnecting: 'trying again',
  disconnected: 'not connected',
}

function stateWord(source: Source): string {
  if (source.trouble === 'broken') return 'broken'
  return source.connectable || source.state !== 'connected' ? STATE_WORDS[source.state] : 'ready'
}

function problemOf({ connection, detail }: ListedSource): string | undefined {
  const problem = connection?.problem
  return problem ? `${sentence(problem.message)} ${problem.remedy}` : detail
}

/** Cleans text from outside and puts it on one line. */
function line(text: string): string {
  return visibleText(text.replaceAll(/[\n\t]+/g, ' ')).trim()
}

function sentence(text: string): string {
  const clean = line(text)
  const start = clean.charAt(0).toUpperCase() + clean.slice(1)
  return /[.!?]$/.test(start) ? start : `${start}.`
}

function ageWords(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`
}
