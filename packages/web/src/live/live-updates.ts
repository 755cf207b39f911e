import type { LiveEvent } from '@clawboo/api'
import type { QueryClient } from '@tanstack/react-query'
import { refreshFiles } from '../api/agent/agent-files.ts'
import { refreshSessions } from '../api/agent/agents.ts'
import { refreshWorkspaces } from '../api/agent/workspace.ts'
import { patchAttention } from '../api/attention.ts'
import { patchBoards } from '../api/board.ts'
import { client } from '../api/client.ts'
import { patchConversations } from '../api/conversation.ts'
import { patchFleet } from '../api/fleet.ts'
import { operationKey } from '../api/operation.ts'
import { patchRooms, readMissing } from '../api/room/room.ts'
import { patchRuns } from '../api/runs.ts'
import { signedOut } from '../api/session.ts'
import { refreshConnections } from '../api/sources.ts'
import { patchTeams, refreshProjects } from '../api/teams.ts'
import { applyToFleet, applyToTeams } from './apply-live-events.ts'
import { eventFeed } from './event-feed.ts'
import { createPerFrame } from './per-frame.ts'
import { readAnew } from './read-anew.ts'
import { restWhileHidden } from './rest-while-hidden.ts'

/** Keeps the page up to date from the event feed alone. Returns a function that stops it. */
export function startLiveUpdates(queries: QueryClient): () => void {
  let waiting: LiveEvent[] = []
  const batch = createPerFrame(() => {
    const events = waiting
    waiting = []
    applyEvents(queries, events)
  })
  const leaveFeed = eventFeed.subscribe((message) => {
    if (message.type === 'event') {
      waiting.push(message.event)
      batch.want()
    } else if (message.type === 'reset') void queries.invalidateQueries()
    else if (message.type === 'ready') {
      void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' })
      readMissing(queries)
    }
    // The feed cannot tell a refused cookie from an unreachable server; a plain request can.
    else client.getStatus({}).catch(() => undefined)
  })
  const leaveSession = signedOut.subscribe(() => {
    if (signedOut.get()) return eventFeed.stop()
    eventFeed.start()
    void queries.invalidateQueries()
  })
  const hurry = () => eventFeed.hurry()
  window.addEventListener('online', hurry)
  const leaveTab = restWhileHidden(eventFeed, () => !signedOut.get())
  if (!signedOut.get()) eventFeed.start()
  return () => {
    for (const leave of [leaveFeed, leaveSession, leaveTab]) leave()
    window.removeEventListener('online', hurry)
    eventFeed.stop()
  }
}

function applyEvents(queries: QueryClient, events: readonly LiveEvent[]): void {
  patchFleet(queries, (fleet) => applyToFleet(fleet, events))
  patchTeams(queries, (teams) => applyToTeams(teams, events))
  patchConversations(queries, events)
  patchRuns(queries, events)
  patchAttention(queries, events)
  patchBoards(queries, events)
  patchRooms(queries, events)
  refreshProjects(queries, events)
  refreshWorkspaces(queries, events)
  refreshSessions(queries, events)
  refreshConnections(queries, events)
  refreshFiles(
    queries,
    events.flatMap((event) => (event.type === 'agent-file-written' ? [event] : [])),
  )
  const hasType = (type: LiveEvent['type']) => events.some((event) => event.type === type)
  if (hasType('providers-changed')) void readAnew(queries, operationKey('listProviders'))
  if (hasType('limits-changed')) void readAnew(queries, operationKey('getLimits'))
  if (hasType('source-status') || hasType('sync-complete')) void renewSources(queries)
}

/** No event contains the state of a source. It is fetched without the agents, because the fleet can be large. */
async function renewSources(queries: QueryClient): Promise<void> {
  try {
    const { sources } = await client.listSources({})
    patchFleet(queries, (fleet) => ({ ...fleet, sources, stale: sources.some((source) => source.stale) }))
  } catch {
    // The server became unreachable; the feed detects that itself.
  }
}
