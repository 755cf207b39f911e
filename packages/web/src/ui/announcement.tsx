import { useEffect } from 'react'
import { createValueStore, useValue } from './value-store.ts'

interface Spoken {
  readonly text: string
  readonly tone: 'plain' | 'bad'
  /** Makes the same words twice two announcements. */
  readonly at: number
}

const spoken = createValueStore<Spoken | null>(null)
let count = 0

/** Shows the result of an action for a moment and has it read aloud. */
export function announce(text: string, tone: Spoken['tone'] = 'plain'): void {
  count += 1
  spoken.set({ text, tone, at: count })
}

export function Announcements() {
  const now = useValue(spoken)
  useEffect(() => {
    if (!now) return
    const timer = setTimeout(() => spoken.set(null), now.tone === 'bad' ? 10_000 : 5_000)
    return () => clearTimeout(timer)
  }, [now])
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-4 z-50 flex justify-center"
    >
      {now ? (
        <p
          key={now.at}
          className={`floats-in max-w-[560px] rounded-m border px-4 py-2 shadow-float ${
            now.tone === 'bad' ? 'border-bad bg-bad-soft text-bad' : 'border-line bg-raised'
          }`}
        >
          {now.text}
        </p>
      ) : null}
    </div>
  )
}
