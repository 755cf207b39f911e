import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { classNames } from './class-names.ts'
import { createValueStore, useValue } from './state/value-store.ts'

interface Spoken {
  readonly text: string
  readonly tone: 'plain' | 'bad'
  /** Distinguishes two announcements with the same words. */
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
  const box = useRef<HTMLParagraphElement>(null)
  const [place, setPlace] = useState<AnnouncementPlace>('bottom')
  useEffect(() => {
    if (!now) return
    const timer = setTimeout(() => spoken.set(null), now.tone === 'bad' ? 10_000 : 5_000)
    return () => clearTimeout(timer)
  }, [now])
  // Before the paint, so that it does not jump.
  useLayoutEffect(() => {
    if (now && box.current) setPlace(freePlace(box.current))
  }, [now])
  return (
    <div
      role="status"
      aria-live="polite"
      className={classNames(
        'pointer-events-none fixed inset-x-3 z-50 flex justify-center',
        place === 'top' ? 'top-3' : 'bottom-4',
      )}
    >
      {now ? (
        <p
          key={now.at}
          ref={box}
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

const TYPED_IN = 'textarea, input:not([type="checkbox"], [type="radio"], [type="range"]), [contenteditable="true"]'
/** The distance to the edge that the classes above set. */
const EDGES = { top: 12, bottom: 16 } as const

function freePlace(box: HTMLElement): AnnouncementPlace {
  const { left, right, height } = box.getBoundingClientRect()
  const fields = [...document.querySelectorAll<HTMLElement>(TYPED_IN)].filter((field) => field.checkVisibility())
  const focused = fields.find((field) => field === document.activeElement)
  const bottom = window.innerHeight - EDGES.bottom
  return announcementPlace({
    atTop: { left, right, top: EDGES.top, bottom: EDGES.top + height },
    atBottom: { left, right, top: bottom - height, bottom },
    fields: fields.map(frameOf),
    focused: focused ? frameOf(focused) : null,
  })
}

const TALLEST_FRAME_PX = 340

/** The field with its label or its send buttons. */
function frameOf(field: HTMLElement): DOMRect {
  const frame = field.parentElement?.getBoundingClientRect()
  return frame && frame.height <= TALLEST_FRAME_PX ? frame : field.getBoundingClientRect()
}

export interface Box {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

type AnnouncementPlace = 'bottom' | 'top'

/** The bottom, unless a text field is there, else the top; if both have one, the side away from the focused field. */
export function announcementPlace(options: {
  readonly atBottom: Box
  readonly atTop: Box
  readonly fields: readonly Box[]
  readonly focused: Box | null
}): AnnouncementPlace {
  const { atBottom, atTop, fields, focused } = options
  const isFree = (place: Box) => !fields.some((field) => overlaps(field, place))
  if (isFree(atBottom)) return 'bottom'
  if (isFree(atTop)) return 'top'
  return focused !== null && overlaps(focused, atTop) ? 'bottom' : 'top'
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
