import { useEffect, useRef, useState } from 'react'
import type { Room } from '../../../api/room/room.ts'
import { endOf } from '../../../live/apply-to-room.ts'
import { OPERATOR_ID } from '../../../shared/agent/participant-name.ts'
import type { RoomMembers } from '../room-members.ts'
import { authorName } from './post-view.tsx'
import { arrivalWords } from './post-words.ts'

/** Reads aloud new posts of others once they are complete, never text that is still streaming. */
export function ArrivalNotice({ room, members }: { room: Room; members: RoomMembers }) {
  const [words, setWords] = useState('')
  const last = useRef(endOf(room))
  const { posts, follows } = room
  useEffect(() => {
    const end = posts.at(-1)?.seq ?? 0
    const from = last.current
    last.current = end
    if (!follows || end <= from) return
    const came = posts.filter(
      ({ seq, author }) => seq > from && !(author.kind === 'person' && author.id === OPERATOR_ID),
    )
    if (came.length > 0) setWords(arrivalWords(came, (post) => authorName(post, members)))
  }, [posts, follows, members])
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {words}
    </p>
  )
}
