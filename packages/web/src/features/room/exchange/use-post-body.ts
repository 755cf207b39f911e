import { useRef } from 'react'
import type { Room, RoomPost } from '../../../api/room/room.ts'
import { useRoomPost } from '../../../api/room/room-actions.ts'

/** The body of a post by its id or number; undefined = unknown. */
export function usePostBody(
  teamId: string,
  room: Room,
  known: { id?: string; seq: number | null },
): string | undefined {
  const { id, seq } = known
  const found = room.posts.findLast((post) => (id === undefined ? post.seq === seq : post.id === id))
  // Scrolling far back unloads newer posts, so the post is kept here.
  const seen = useRef<RoomPost | undefined>(undefined)
  if (found) seen.current = found
  const asked = useRoomPost(teamId, seen.current ? null : seq).data
  const post = seen.current ?? asked ?? undefined
  return post && (id === undefined || post.id === id) ? post.body : undefined
}
