import type { Agent } from '../../../api/fleet.ts'
import { SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { useIsScripted } from '../../../shared/provider/scripted-boos.ts'
import { Pill } from '../../../ui/pill.tsx'

/** Marks the posts of a Boo with scripted answers. */
export function ScriptedMark({ agent }: { agent: Agent | undefined }) {
  const isScripted = useIsScripted()
  return agent && isScripted(agent) ? <Pill tone="outline">{SCRIPTED}</Pill> : null
}
