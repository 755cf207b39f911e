import { ApiError } from '@clawboo/api/client'
import { useState } from 'react'
import { useStopRoom } from '../../../api/room/room-actions.ts'
import { problemWords } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'

export type Stopping = ReturnType<typeof useStopping>

export function useStopping(teamId: string) {
  const { mutateAsync } = useStopRoom(teamId)
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set())
  const stop = async (request: { exchangeId: string; chainId?: string }, words: string) => {
    const id = request.chainId ?? request.exchangeId
    if (asked.has(id)) return
    setAsked((now) => new Set([...now, id]))
    try {
      await mutateAsync(request)
      announce(words)
    } catch (error) {
      setAsked((now) => new Set([...now].filter((known) => known !== id)))
      const isOver = error instanceof ApiError && error.code === 'exchange_not_found'
      if (isOver) announce('It had already finished.')
      else announce(problemWords(error, 'stop'), 'bad')
    }
  }
  return {
    /** Exchanges and chains that were asked to stop and are still shown. */
    asked,
    stopExchange: (exchangeId: string) => void stop({ exchangeId }, 'Stopping. The messages stay.'),
    stopChain: (exchangeId: string, chainId: string) =>
      void stop({ exchangeId, chainId }, 'This request is stopped. Others continue.'),
    takeBack: (exchangeId: string) =>
      void stop({ exchangeId }, 'Withdrawn. Your message stays in the room, and no Boo replies to it.'),
  }
}
