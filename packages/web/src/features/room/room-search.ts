/** The search parameters of a room's address. */
export interface RoomSearch {
  /** The number of the post that is marked. */
  readonly post?: number | undefined
}

/** Anything else means nothing, so that a mistyped address still shows the room. */
export function readRoomSearch({ post }: Record<string, unknown>): RoomSearch {
  const seq = Number(post)
  // Said, not left out: the router lays what is returned over what the address has.
  return { post: Number.isSafeInteger(seq) && seq > 0 ? seq : undefined }
}
