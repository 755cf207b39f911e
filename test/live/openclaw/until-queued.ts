import { expect } from 'vitest'
import { type ConnectOptions, connectRaw } from './raw-client.ts'

/** Until the Gateway has a prompt waiting in a session that is at work: it takes one before it has put it there. */
export async function untilQueued(gateway: ConnectOptions, sessionKey: string): Promise<void> {
  const { client } = await connectRaw(gateway)
  const waiting = async () => {
    const { pendingInputs } = await client.request('chat.history', { sessionKey, limit: 1 })
    return (pendingInputs as { readonly total: number }).total
  }
  await expect.poll(waiting).toBe(1)
  await client.close()
}
