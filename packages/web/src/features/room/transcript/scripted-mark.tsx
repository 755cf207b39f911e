import type { Agent } from '../../../api/fleet.ts'
import { useIsScripted } from '../../../api/scripted-boos.ts'
import { Pill } from '../../../ui/pill.tsx'
import { SCRIPTED } from '../../../ui/provider-words.ts'

/** Says of a Boo without a model that its words are written beforehand. */
export function ScriptedMark({ agent }: { agent: Agent | undefined }) {
  const isScripted = useIsScripted()
  return agent && isScripted(agent) ? <Pill tone="outline">{SCRIPTED}</Pill> : null
}
