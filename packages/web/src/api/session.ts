import { createValueStore } from '../ui/state/value-store.ts'

/** True once the server has refused this browser's cookie. */
export const signedOut = createValueStore(false)

const CHANNEL = 'clawboo.session'

/** Notifies this browser's other tabs, so that one sign-in link signs all of them in. */
export function markSignedIn(): void {
  signedOut.set(false)
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('signed-in')
  channel.close()
}

export function markSignedOut(): void {
  signedOut.set(true)
}

export function followOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = () => signedOut.set(false)
}
