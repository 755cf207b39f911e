import { useMoveAgent } from '../../api/agent/agents.ts'
import { type Agent, type Runtime, useRuntimes } from '../../api/fleet.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Section } from '../../ui/page-header.tsx'
import { Pill } from '../../ui/pill.tsx'

/** The runtimes that a Boo can move to. A Boo from an upstream cannot move. */
export function runtimesFor(agent: Agent, runtimes: readonly Runtime[]): readonly Runtime[] {
  const isSettled = runtimes.some((runtime) => runtime.id === agent.runtime && runtime.keepsItsOwn)
  return runtimes.filter(
    (runtime) =>
      runtime.id === agent.runtime ||
      (!isSettled && !runtime.keepsItsOwn && runtime.participantKind === agent.participantKind),
  )
}

/** Moves a Boo to another runtime. Shown only if there is one. */
export function RuntimeChoice({ agent }: { agent: Agent }) {
  const runtimes = useRuntimes().data ?? []
  const move = useMoveAgent(agent.id)
  const fitting = runtimesFor(agent, runtimes)
  if (!fitting.some((runtime) => runtime.id !== agent.runtime)) return null
  const now = runtimes.find((runtime) => runtime.id === agent.runtime)
  return (
    <Section title="Runtime" about="The program that runs it. Its team, files and avatar stay when it moves.">
      <div className="flex flex-wrap items-center gap-3">
        <Pill tone="outline">{now?.label ?? agent.runtime}</Pill>
        <Menu
          label="Move to another runtime"
          trigger={
            <Button icon="move" aria-disabled={move.isPending}>
              {move.isPending ? 'Moving' : 'Move to'}
            </Button>
          }
          items={fitting.map((runtime) => ({
            label: runtime.label,
            hint: runtime.description,
            chosen: runtime.id === agent.runtime,
            run: () => {
              if (runtime.id === agent.runtime || move.isPending) return
              move.mutate(runtime.id, {
                onSuccess: () => announce(`${agent.displayName} runs on ${runtime.label} now`),
              })
            },
          }))}
        />
      </div>
      <ProblemLine>{move.error ? problemWords(move.error, 'move it') : null}</ProblemLine>
    </Section>
  )
}
