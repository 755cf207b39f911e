import { ApiError } from '@clawboo/api/client'
import { useRef, useState } from 'react'
import { useSayOnly, useSendToRoom } from '../../../api/room/room-actions.ts'
import type { RoomMode } from '../../../shared/composer/send-modes.ts'
import { leftBehind, type SendPromise, sendProblem } from '../../../shared/composer/send-problem.ts'
import { TEXT_IS_KEPT } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import type { RoomMembers } from '../room-members.ts'
import { droppedWords, sentWords } from './preview-words.ts'

interface Outgoing {
  readonly body: string
  readonly to: readonly string[]
  readonly skip: readonly string[]
  /** '' = yourself. */
  readonly as: string
  /** `say-only`: no Boo is woken. null = no exchange is running. */
  readonly mode: RoomMode | 'say-only' | null
}

/** `unknown`: no response arrived. */
type SendOutcome = 'taken' | 'refused' | 'unknown'

/** Sends one message at a time, and reports the result. */
export function useSending(teamId: string, members: RoomMembers, firstProblem: string | null) {
  const wake = useSendToRoom(teamId)
  const sayOnly = useSayOnly(teamId)
  const [problem, setProblem] = useState(firstProblem)
  const [announcement, setAnnouncement] = useState({ words: '', count: 0 })
  const [isSending, setSending] = useState(false)
  // A second press before the next render must not send the message twice.
  const underWay = useRef(false)

  const deliver = async ({ body, to, skip, as, mode }: Outgoing): Promise<string> => {
    const content = { body, ...(to.length === 0 ? {} : { to: [...to] }), ...(as === '' ? {} : { as }) }
    if (mode === 'say-only') {
      await sayOnly.mutateAsync(content)
      return 'Posted without a reply.'
    }
    const sent = await wake.mutateAsync({
      ...content,
      ...(skip.length === 0 ? {} : { skip: [...skip] }),
      ...(mode === null ? {} : { mode }),
    })
    const inVain = droppedWords(sent.dropped, skip, members.nameOf)
    if (inVain.length > 0) announce(inVain.join(' '))
    if (mode === 'steer' && !sent.joined) announce('The exchange had finished. This starts a new one.')
    return sentWords(mode, sent.joined)
  }

  const send = async (message: Outgoing): Promise<SendOutcome> => {
    if (underWay.current) return 'unknown'
    underWay.current = true
    setSending(true)
    setProblem(null)
    try {
      const words = await deliver(message)
      setAnnouncement(({ count }) => ({ words, count: count + 1 }))
      return 'taken'
    } catch (error) {
      setProblem(sendProblem(error, SEND_PROMISE))
      return error instanceof ApiError && error.code === 'network' ? 'unknown' : 'refused'
    } finally {
      underWay.current = false
      setSending(false)
    }
  }
  return { isSending, problem, forgetProblem: () => setProblem(null), announcement, send }
}

/** A room stores a message again when it is sent again, so the person has to check first. */
const SEND_PROMISE: SendPromise = {
  kept: TEXT_IS_KEPT,
  unconfirmed: 'Check the room before you send it again.',
  whenFull: 'Withdraw one, or steer now.',
}

export const LEFT_BEHIND = leftBehind(SEND_PROMISE)
