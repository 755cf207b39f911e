/** The search parameters of a room's address. */
export interface RoomSearch {
  /** The number of the marked post. */
  readonly post?: number | undefined
}

/** Any other value is dropped, so that a mistyped address still shows the room. */
export function readRoomSearch({ post }: Record<string, unknown>): RoomSearch {
  const seq = Number(post)
  // Set explicitly, because the router merges the result into the parameters of the address.
  return { post: Number.isSafeInteger(seq) && seq > 0 ? seq : undefined }
}
