import { memo, type ReactNode } from 'react'
import { type BooEyes, type BooMarking, type BooShape, type BooWear, booShape } from './boo-shape.ts'

/** A Boo's picture: shape and colour identify the Boo, and the eyes show its state. A person gets a head and shoulders. */
export const BooAvatar = memo(function BooAvatar(props: {
  readonly seed: string
  readonly eyes?: BooEyes
  readonly size?: number
  readonly person?: boolean
}) {
  const { seed, eyes = 'idle', size = 32, person = false } = props
  const shape = booShape(seed)
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" aria-hidden="true" className="shrink-0" data-eyes={eyes}>
      {person ? <PersonBody shape={shape} /> : <BooBody shape={shape} />}
      <g transform={person ? 'translate(-1 -8)' : `translate(${shape.faceX} ${shape.faceY})`}>
        <Eyes eyes={eyes} ink={shape.ink} />
      </g>
      {person ? null : <Wear wear={shape.wear} shape={shape} />}
    </svg>
  )
})

function BooBody({ shape }: { shape: BooShape }) {
  return (
    <>
      <path d={shape.body} fill={shape.fill} />
      <Marking marking={shape.marking} shape={shape} />
      <path
        d={`M15 ${shape.top + 20}Q17 ${shape.top + 7} 27 ${shape.top + 4}`}
        fill="none"
        stroke="white"
        strokeOpacity={0.4}
        strokeWidth={3}
        strokeLinecap="round"
      />
    </>
  )
}

function PersonBody({ shape }: { shape: BooShape }) {
  return (
    <>
      <path d="M6 62C6 42 20 39 32 39S58 42 58 62Z" fill={shape.trim} />
      <circle cx={32} cy={25} r={19} fill={shape.fill} />
    </>
  )
}

function Eyes({ eyes, ink }: { eyes: BooEyes; ink: string }) {
  const line = { fill: 'none', stroke: ink, strokeLinecap: 'round' as const }
  const smile = <path d="M29 41q4 3 8 0" {...line} strokeWidth={2.2} />
  switch (eyes) {
    case 'idle':
      return (
        <g fill={ink}>
          <circle cx={25} cy={32} r={3.6} />
          <circle cx={41} cy={32} r={3.6} />
          {smile}
        </g>
      )
    case 'working':
      return (
        <g fill={ink}>
          <ellipse cx={27} cy={31} rx={3.4} ry={5} />
          <ellipse cx={43} cy={31} rx={3.4} ry={5} />
          <path d="M29 42h8" {...line} strokeWidth={2.2} />
        </g>
      )
    case 'needs':
      return (
        <g fill={ink}>
          <circle cx={25} cy={31} r={5.2} />
          <circle cx={41} cy={31} r={5.2} />
          <ellipse cx={33} cy={42} rx={3} ry={3.6} />
        </g>
      )
    case 'stopped':
      return (
        <g>
          <path d="M20 31q5 5 10 0M36 31q5 5 10 0" {...line} strokeWidth={2.6} />
          {smile}
        </g>
      )
    case 'unknown':
      return (
        <g>
          <circle cx={25} cy={32} r={4.2} {...line} strokeWidth={2.3} />
          <circle cx={41} cy={32} r={4.2} {...line} strokeWidth={2.3} />
          <path d="M29 42h8" {...line} strokeWidth={2.2} />
        </g>
      )
    case 'bad':
      return (
        <g>
          <path d="M22 29l6 6m0-6l-6 6M38 29l6 6m0-6l-6 6" {...line} strokeWidth={2.5} />
          <path d="M29 43q4-3 8 0" {...line} strokeWidth={2.2} />
        </g>
      )
  }
}

function Marking({ marking, shape }: { marking: BooMarking; shape: BooShape }): ReactNode {
  switch (marking) {
    case 'none':
      return null
    case 'cheeks':
      return (
        <g fill={shape.trim} fillOpacity={0.45}>
          <circle cx={18} cy={40} r={3.6} />
          <circle cx={47} cy={40} r={3.6} />
        </g>
      )
    case 'belly':
      return <ellipse cx={32} cy={52} rx={11} ry={5.5} fill="white" fillOpacity={0.35} />
    case 'freckles':
      return (
        <g fill={shape.trim} fillOpacity={0.7}>
          <circle cx={17} cy={39} r={1.5} />
          <circle cx={21} cy={42} r={1.5} />
          <circle cx={45} cy={42} r={1.5} />
          <circle cx={49} cy={39} r={1.5} />
        </g>
      )
    case 'patch':
      return <circle cx={42} cy={32} r={8.5} fill={shape.trim} fillOpacity={0.35} />
  }
}

function Wear({ wear, shape }: { wear: BooWear; shape: BooShape }): ReactNode {
  const { top, trim, ink } = shape
  const line = { fill: 'none', stroke: trim, strokeLinecap: 'round' as const }
  const at = (content: ReactNode) => <g transform={`translate(32 ${top + 2})`}>{content}</g>
  switch (wear) {
    case 'none':
      return null
    case 'sprout':
      return at(<path d="M0 2q2-11 12-10q-1 10-12 10M0 2q-1-6-7-6q1 6 7 6" fill={trim} />)
    case 'ears':
      return at(<path d="M-17 8l-3-12 12 6M17 8l3-12-12 6" fill={trim} />)
    case 'bobble':
      return at(
        <>
          <path d="M0 2v-7" {...line} strokeWidth={2.6} />
          <circle cx={0} cy={-5} r={3.6} fill={trim} />
        </>,
      )
    case 'band':
      return at(<path d="M-17 9q17-13 34 0" {...line} strokeWidth={5} />)
    case 'glasses':
      return (
        <g fill="none" stroke={ink} strokeWidth={2} transform={`translate(${shape.faceX} ${shape.faceY})`}>
          <circle cx={25} cy={32} r={7} />
          <circle cx={41} cy={32} r={7} />
          <path d="M32 31.5h2M18 31l-4-2M48 31l4-2" />
        </g>
      )
    case 'bow':
      return at(<path d="M9 0l-8-5v11zM9 0l8-5v11z" fill={trim} stroke={trim} strokeLinejoin="round" strokeWidth={2} />)
    case 'crown':
      return at(<path d="M-10 5v-10l5 4 5-6 5 6 5-4v10q-10-5-20 0" fill={trim} />)
    case 'curl':
      return at(<path d="M0 2q-3-10 4-9q5 1 2 5" {...line} strokeWidth={2.8} />)
    case 'cap':
      return at(<path d="M-14 6q0-12 14-12t14 12q-14-7-28 0M14 6l8 2" fill={trim} stroke={trim} strokeWidth={2.2} />)
    case 'horns':
      return at(<path d="M-13 5q-7-3-6-11q3 5 11 6M13 5q7-3 6-11q-3 5-11 6" fill={trim} />)
  }
}

/** The product's own Boo, as in the tab's icon. */
export const MASCOT_SEED = 'boo-13'
