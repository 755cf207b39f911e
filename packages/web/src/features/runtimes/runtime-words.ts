import type { Runtime, SourceStatus } from '../../api/fleet.ts'
import type { Connection, ToolPolicy } from '../../api/sources.ts'
import type { Tone } from '../../ui/pill.tsx'
import { listed, sentence } from '../../ui/words/sentence.ts'
import { clockWords, counted, longAge } from '../../ui/words/time-words.ts'

/** The state of a runtime: a word with its colour, and a sentence. */
export interface RuntimeState {
  readonly word: string
  readonly tone: Tone
  readonly line: string
}

/** `source` is absent for a runtime without Boos of its own; `connection` is absent until it is loaded. */
export function runtimeState(
  source: SourceStatus | undefined,
  connection: Connection | undefined,
  now: number,
): RuntimeState {
  if (source?.trouble === 'broken')
    return { word: 'Unreadable', tone: 'bad', line: sentence(source.detail ?? 'The reason is unknown.') }
  if (!source?.connectable) return source?.trouble === 'offline' ? OFFLINE : READY
  const { state } = connection ?? source
  const since = connection ? ` since ${clockWords(connection.since, now)}` : ''
  switch (state) {
    case 'connected': {
      const version = connection?.version ? `, version ${connection.version}` : ''
      const line = `Connected${since}${version}.`
      return connection?.problem
        ? { word: 'Connected, not usable', tone: 'needs', line }
        : { word: 'Connected', tone: 'good', line }
    }
    case 'connecting':
      return { word: 'Connecting', tone: 'plain', line: `Connecting${since}.` }
    case 'reconnecting':
      return { word: 'Trying again', tone: 'needs', line: `Trying again${since}.` }
    case 'disconnected':
      return connection?.problem
        ? { word: 'Needs you', tone: 'needs', line: `Not connected${since}. It does not reconnect automatically.` }
        : { word: 'Not connected', tone: 'plain', line: 'Not connected.' }
  }
}

const READY: RuntimeState = { word: 'Ready', tone: 'good', line: 'Nothing to connect.' }
const OFFLINE: RuntimeState = { word: 'Offline', tone: 'needs', line: 'Not reachable now.' }

/** The number of Boos on a runtime, and the age of that data. */
export function shownWords(
  source: SourceStatus | undefined,
  count: { readonly boos: number; readonly people: number },
  now: number,
): string {
  const who = [
    ...(count.boos > 0 || count.people === 0 ? [count.boos === 0 ? 'No Boos yet' : counted(count.boos, 'Boo')] : []),
    ...(count.people > 0 ? [counted(count.people, 'person', 'people')] : []),
  ].join(', ')
  if (!source?.connectable || source.lastSyncAt === null) return `${who}.`
  const age = now - source.lastSyncAt
  const ago = age < 60_000 ? 'just now' : `${longAge(age)} ago`
  return source.stale ? `${who}, shown as last seen ${ago}.` : `${who}, refreshed ${ago}.`
}

export function endWords({ state, address }: Pick<Connection, 'state' | 'address'>): {
  readonly button: string
  readonly title: (label: string) => string
  readonly keep: string
} {
  if (state === 'connected')
    return { button: 'Disconnect', title: (label) => `Disconnect ${label}?`, keep: 'Stay connected' }
  if (state === 'disconnected')
    return { button: 'Forget this address', title: () => `Forget ${address}?`, keep: 'Keep it' }
  return { button: 'Stop trying', title: (label) => `Stop trying to connect ${label}?`, keep: 'Keep trying' }
}

/** Whether only a secret is missing. */
export function wantsSecret({ problem }: Pick<Connection, 'problem'>): boolean {
  return problem?.code === 'secret_missing' || problem?.code === 'secret_wrong'
}

/** The permissions of an upstream, by the last part of each scope; an unknown scope is shown as it is. */
export function scopeWords(scopes: readonly string[]): string {
  const words = [...new Set(scopes.map((scope) => SCOPES[scope.split(/[.:/]/).at(-1)!.toLowerCase()] ?? scope))]
  return words.length === 0 ? 'nothing' : listed(words)
}

const SCOPES: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'send messages and change things',
  admin: 'change its settings',
  approvals: 'answer approvals',
  pairing: 'approve devices',
}

/** A summary of the tools that an upstream denies. */
export function deniedWords({ allow, deny }: Pick<ToolPolicy, 'allow' | 'deny'>): string {
  const denied = deny.length === 0 ? 'none denied' : `${deny.length} denied`
  return `Tools: ${denied}${allow === null ? '' : ', only some are allowed'}`
}

/** The first names, and how many more there are. */
export function namesWords(names: readonly string[], shown = 12): string {
  const more = names.length - shown
  return names.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

type Plan = Pick<Runtime, 'participantKind' | 'home' | 'keepsSkills' | 'keepsMemory' | 'delivery'>

/** Names what persists in a runtime between runs. Empty for people. */
export function planWords({ participantKind, home, keepsSkills, keepsMemory, delivery }: Plan): string {
  if (participantKind === 'human') return ''
  const kept = [...(keepsSkills ? ['skills'] : []), ...(keepsMemory ? ['memory'] : [])]
  const keeps =
    kept.length === 0 ? 'Keeps no skills or memory between runs.' : `Keeps ${kept.join(' and ')} between runs.`
  return [HOMES[home], keeps, ...(delivery === 'own-channels' ? ['Also delivers over its own channels.'] : [])].join(
    ' ',
  )
}

const HOMES: Readonly<Record<Plan['home'], string>> = {
  connected: 'Its Boos live there.',
  persistent: 'Each Boo has its own folder.',
  ephemeral: 'Each run starts in a new folder.',
}

/** The capabilities that a runtime lacked at its last run; null when there are none. */
export function missingWords({ missingClaims }: Pick<Runtime, 'missingClaims'>): string | null {
  if (missingClaims.length === 0) return null
  return `At its last run it couldn't ${missingClaims.map((claim) => CLAIMS[claim] ?? claim).join(', ')}.`
}

const CLAIMS: Readonly<Record<string, string>> = {
  streaming: 'show text as it is written',
  mcp: 'use Clawboo’s tools',
  worktrees: 'work in a task’s folder',
  resume: 'continue a conversation',
  steering: 'take a message while it works',
  toolApproval: 'ask before it acts',
  models: 'use the model you choose',
  asksBeforeModelCall: 'check limits before each model call',
  readsFiles: 'read its Boo’s files',
}
