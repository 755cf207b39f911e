export type BooEyes = 'idle' | 'working' | 'needs' | 'stopped' | 'unknown' | 'bad'

/** The parts of a Boo's look that follow from its seed. Coordinates are in a 64 x 64 box. */
export interface BooShape {
  readonly fill: string
  readonly trim: string
  readonly ink: string
  /** The outline of the body. */
  readonly body: string
  /** The top of the head, where an accessory may go. */
  readonly top: number
  readonly wear: BooWear
  readonly marking: BooMarking
  readonly faceX: number
  readonly faceY: number
}

const WEARS = ['none', 'sprout', 'ears', 'bobble', 'band', 'glasses', 'bow', 'crown', 'curl', 'cap', 'horns'] as const
const MARKINGS = ['none', 'cheeks', 'belly', 'freckles', 'patch'] as const
export type BooWear = (typeof WEARS)[number]
export type BooMarking = (typeof MARKINGS)[number]

/** A pure function of the seed: the same Boo on every machine, and a different one for nearly every other seed. */
export function booShape(seed: string): BooShape {
  const draw = drawsFrom(seed)
  const hue = draw(60) * 6
  const [lightness, chroma] = TONES[draw(TONES.length)]!
  const left = 8 + draw(5) * 0.8
  const top = 6 + draw(7)
  const shoulder = 28 + draw(7)
  const waves = 2 + draw(3)
  const depth = 4 + draw(4) * 1.4
  const pointed = draw(4) === 0
  return {
    fill: `oklch(${lightness} ${chroma} ${hue})`,
    trim: `oklch(0.56 0.15 ${(hue + [0, 0, 40, 180][draw(4)]!) % 360})`,
    ink: `oklch(0.26 0.06 ${hue})`,
    body: outline({ left, top, shoulder, waves, depth, pointed }),
    top: top + 4,
    wear: WEARS[draw(WEARS.length)]!,
    marking: MARKINGS[draw(MARKINGS.length)]!,
    faceX: draw(5) - 2,
    faceY: draw(4) - 1,
  }
}

const TONES = [
  [0.72, 0.14],
  [0.78, 0.12],
  [0.84, 0.09],
  [0.66, 0.13],
] as const

interface Outline {
  readonly left: number
  readonly top: number
  readonly shoulder: number
  readonly waves: number
  readonly depth: number
  readonly pointed: boolean
}

function outline({ left, top, shoulder, waves, depth, pointed }: Outline): string {
  const right = 64 - left
  const hem = 60 - depth
  const step = (right - left) / waves
  let path = `M${left} ${hem}V${shoulder}C${left} ${top - 3} ${right} ${top - 3} ${right} ${shoulder}V${hem}`
  for (let wave = 0; wave < waves; wave++) {
    const from = right - wave * step
    const middle = round(from - step / 2)
    const end = round(from - step)
    path += pointed
      ? `L${round(from - step / 4)} ${round(hem + depth)}L${middle} ${hem}`
      : `Q${round(from - step / 4)} ${round(hem + depth)} ${middle} ${hem}`
    path += pointed ? `L${end} ${hem}` : `Q${round(from - (3 * step) / 4)} ${round(hem - depth * 0.8)} ${end} ${hem}`
  }
  return `${path}Z`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Returns whole numbers below a limit, in an order fixed by the seed. */
function drawsFrom(seed: string): (limit: number) => number {
  let state = 0x9e3779b9
  for (let index = 0; index < seed.length; index++) {
    state = Math.imul(state ^ seed.charCodeAt(index), 0x85ebca6b)
    state ^= state >>> 13
  }
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}
