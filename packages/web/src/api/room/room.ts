import type { LiveEvent } from '@clawboo/api/live-event'
import { type QueryClient, skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { applyToRoom, endOf, isBehind, type Room, toRoom, withNewer, withOlder } from '../../live/apply-to-room.ts'
import { eventFeed } from '../../live/event-feed.ts'
import { client } from '../client.ts'
import { roomSettingsKey } from './room-actions.ts'

export type { ExchangeView } from '@clawboo/api/live-event'
export type { Room, RoomPost } from '../../live/apply-to-room.ts'

/** The position where a room opens: its newest post, or around one post. */
export type RoomPlace = 'newest' | number

const OPENED_POSTS = 80
const PAGE_POSTS = 100
const MOST_POSTS = 200
/** The most posts to load at once after a pause. The rest load on scrolling. */
const MOST_MISSED = 400

const roomKey = (teamId: string) => ['room', teamId] as const
const headsKey = ['room-heads'] as const
const heardKey = (teamId: string) => ['room-heard', teamId] as const

/** A team's room. Loaded posts stay; a refetch only adds the newer ones. */
export function useRoom(teamId: string, place: RoomPlace = 'newest') {
  const queries = useQueryClient()
  const reading = useQuery({
    queryKey: roomKey(teamId),
    queryFn: ({ signal }) =>
      eventFeed.catchUp(
        () => {
          const known = queries.getQueryData<Room>(roomKey(teamId))
          return known && known.posts.length > 0 ? renewed(teamId, known, signal) : readAround(teamId, place, signal)
        },
        (room, events) => applyToRoom(room, events, teamId),
      ),
  })
  const head = reading.data?.head
  useEffect(() => {
    if (head !== undefined) queries.setQueryData<RoomHeads>(headsKey, (heads) => withHead(heads, teamId, head))
  }, [head, queries, teamId])
  const behind = reading.data !== undefined && isBehind(reading.data)
  useEffect(() => {
    if (behind) void catchUpRoom(queries, teamId)
  }, [behind, queries, teamId])
  return reading
}

/** Loads posts before the first loaded one or after the last. */
export function useMoreOfRoom(teamId: string, direction: 'older' | 'newer') {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const room = queries.getQueryData<Room>(roomKey(teamId))
      const first = room?.posts[0]
      if (!room || !first) return null
      const from = direction === 'older' ? { before: first.seq } : { sinceSeq: endOf(room) }
      return client.readRoom({ query: { teamId, ...from, limit: PAGE_POSTS } })
    },
    onSuccess: (page) =>
      queries.setQueryData<Room>(roomKey(teamId), (room) =>
        room && page ? (direction === 'older' ? withOlder(room, page) : withNewer(room, page)) : room,
      ),
  })
}

/** Loads another part of the room unless it is already loaded. */
export function useGoInRoom(teamId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (place: RoomPlace) =>
      eventFeed.catchUp(
        () => readAround(teamId, place),
        (room, events) => applyToRoom(room, events, teamId),
      ),
    onSuccess: (fresh) =>
      queries.setQueryData<Room>(roomKey(teamId), (room) => ({ ...fresh, ended: room?.ended ?? fresh.ended })),
  })
}

/** The first post that the feed delivered since this page was loaded. */
export function useFirstHeard(teamId: string): number | undefined {
  return useQuery<number>({ queryKey: heardKey(teamId), queryFn: skipToken }).data
}

/** The number of the last post, by team. */
type RoomHeads = Readonly<Record<string, number>>

/** The number of a room's last post; undefined = unknown, or the room is empty. */
export function useRoomHead(teamId: string): number | undefined {
  return useQuery({
    queryKey: headsKey,
    queryFn: ({ signal }) =>
      eventFeed.catchUp(
        async () => {
          const { rooms } = await client.listRooms({ signal })
          return Object.fromEntries(rooms.map((room) => [room.teamId, room.head]))
        },
        (heads: RoomHeads, events) => headsAfter(heads, events),
      ),
    select: (heads) => heads[teamId],
  }).data
}

export function patchRooms(queries: QueryClient, events: readonly LiveEvent[]): void {
  for (const event of events) {
    if (event.type === 'room-settings-changed') {
      const { teamId, turnCap, wakesLeader } = event
      queries.setQueryData<object>(roomSettingsKey(teamId), (known) => known && { ...known, turnCap, wakesLeader })
    }
    if (event.type === 'team-chat-posted') {
      const { teamId, seq } = event.post
      queries.setQueryData<number>(heardKey(teamId), (first = seq) => first)
    }
  }
  queries.setQueryData<RoomHeads>(headsKey, (heads) => heads && headsAfter(heads, events))
  for (const [key, room] of queries.getQueriesData<Room>({ queryKey: ['room'] })) {
    const [, teamId] = key as ReturnType<typeof roomKey>
    const next = room && applyToRoom(room, events, teamId)
    if (next !== room) queries.setQueryData<Room>(key, next)
  }
}

/** Fetches the posts that open rooms could not load while the server was unreachable. */
export function readMissing(queries: QueryClient): void {
  for (const [key, room] of queries.getQueriesData<Room>({ queryKey: ['room'], type: 'active' })) {
    const [, teamId] = key as ReturnType<typeof roomKey>
    if (room && isBehind(room)) void catchUpRoom(queries, teamId)
  }
}

const catchingUp = new Set<string>()

/** Fetches posts that exist but were not delivered, or were delivered incomplete. */
async function catchUpRoom(queries: QueryClient, teamId: string): Promise<void> {
  if (catchingUp.has(teamId)) return
  catchingUp.add(teamId)
  try {
    for (;;) {
      const room = queries.getQueryData<Room>(roomKey(teamId))
      if (!room || !isBehind(room)) return
      const page = await client.readRoom({ query: { teamId, sinceSeq: endOf(room), limit: MOST_POSTS } })
      queries.setQueryData<Room>(roomKey(teamId), (known) => known && upToDate(known, page))
      if (page.posts.length === 0) return
    }
  } catch {
    // The server became unreachable. When the feed reconnects, it calls this function again.
  } finally {
    catchingUp.delete(teamId)
  }
}

async function readAround(teamId: string, place: RoomPlace, signal?: AbortSignal): Promise<Room> {
  const from = place === 'newest' ? {} : { before: Math.max(1, place) + OPENED_POSTS / 2 }
  return toRoom(await client.readRoom({ query: { teamId, ...from, limit: OPENED_POSTS }, signal }))
}

async function renewed(teamId: string, known: Room, signal: AbortSignal): Promise<Room> {
  const sinceSeq = known.follows ? endOf(known) : known.head
  const page = await client.readRoom({ query: { teamId, sinceSeq, limit: MOST_POSTS }, signal })
  // The room was reset under the same id, so the cached posts are not part of it.
  if (page.head < endOf(known)) return readAround(teamId, 'newest', signal)
  return { ...(known.follows ? upToDate(known, page) : { ...known, head: page.head }), exchanges: page.exchanges }
}

/** A room that is far behind stops following new posts; they load as the person scrolls. */
function upToDate(room: Room, page: Parameters<typeof withNewer>[1]): Room {
  const next = withNewer(room, page)
  return next.head - endOf(next) > MOST_MISSED ? { ...next, follows: false } : next
}

function headsAfter(heads: RoomHeads, events: readonly LiveEvent[]): RoomHeads {
  return events.reduce(
    (known, event) => (event.type === 'team-chat-posted' ? withHead(known, event.post.teamId, event.post.seq) : known),
    heads,
  )
}

/** An earlier request may have seen an older head. */
function withHead<Heads extends RoomHeads | undefined>(heads: Heads, teamId: string, head: number): Heads {
  if (heads === undefined || (heads[teamId] ?? 0) >= head) return heads
  return { ...heads, [teamId]: head }
}
