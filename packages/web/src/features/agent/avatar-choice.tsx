import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import type { BooEyes } from '../../ui/boo/boo-shape.ts'
import { Button } from '../../ui/button.tsx'

export function AvatarChoice(props: {
  readonly seed: string
  readonly person: boolean
  readonly eyes?: BooEyes
  readonly onChange: (seed: string) => void
}) {
  return (
    <div className="flex flex-col items-center gap-3">
      <BooAvatar seed={props.seed} eyes={props.eyes} person={props.person} size={104} />
      <Button icon="dice" onClick={() => props.onChange(randomSeed())}>
        Another avatar
      </Button>
    </div>
  )
}

export function randomSeed(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(2)), (number) => number.toString(36)).join('')
}
