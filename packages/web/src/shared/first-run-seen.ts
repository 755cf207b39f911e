import { readStored, writeStored } from '../ui/state/stored-text.ts'
import { createValueStore } from '../ui/state/value-store.ts'

const KEY = 'clawboo.first-run'

/** Whether a person dismissed the first-run screen in this browser. */
export const firstRunDismissed = createValueStore(false)

export function startFirstRun(): void {
  firstRunDismissed.set(readStored(KEY) === 'dismissed')
}

export function dismissFirstRun(): void {
  writeStored(KEY, 'dismissed')
  firstRunDismissed.set(true)
}
