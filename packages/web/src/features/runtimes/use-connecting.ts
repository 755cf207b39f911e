import { useEffect, useState } from 'react'
import type { Runtime } from '../../api/fleet.ts'
import { type Connection, type ConnectionWish, useConnect } from '../../api/sources.ts'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { sentence, wantsSecret } from './runtime-words.ts'

/** The attempts to connect a runtime, and their results. */
export function useConnecting(runtime: Runtime, connection: Connection) {
  const [asked, ask] = useState<string | null>(null)
  const [trying, setTrying] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [spoken, setSpoken] = useState('')
  const connect = useConnect(runtime.id)
  const isConnected = connection.state === 'connected'
  useEffect(() => {
    // However it connected: otherwise the secret form would reappear when the connection is next lost.
    if (isConnected) ask(null)
  }, [isConnected])
  const send = async (wish: ConnectionWish) => {
    setTrying(wish.address)
    setProblem(null)
    setSpoken('')
    try {
      const answer = await connect(wish)
      if (answer.problem) setSpoken(`Not connected. ${sentence(answer.problem.message)}`)
      else if (answer.state === 'connected') announce(`${runtime.label} is connected`)
      ask(wantsSecret(answer) ? (answer.address ?? wish.address) : null)
      return answer
    } catch (error) {
      setProblem(problemWords(error, 'connect'))
      return null
    } finally {
      setTrying(null)
    }
  }
  return {
    send,
    /** The address that this page is connecting to. */
    trying,
    /** Why the server did not accept the address. */
    problem,
    /** The result, for a screen reader. */
    spoken,
    /** The address that needs a secret. */
    asked,
    ask,
  }
}
