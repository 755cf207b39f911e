import type { ReactNode } from 'react'

/** A message with its author's face in a column of its own. */
export function SpeakerRow({ face, children }: { face: ReactNode; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[28px_minmax(0,1fr)] gap-x-3">
      <span className="pt-0.5">{face}</span>
      {children}
    </div>
  )
}
