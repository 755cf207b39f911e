import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useAgent } from '../../../api/agent/agents.ts'
import { useInspection } from '../../../api/agent/inspection.ts'
import { type Agent, useRuntime } from '../../../api/fleet.ts'
import { readProblem } from '../../../shared/problem-words.ts'
import { Section } from '../../../ui/page-header.tsx'
import { ErrorState, LoadingState } from '../../../ui/page-states.tsx'
import { counted } from '../../../ui/words/time-words.ts'
import { CommandLines, PromptFiles, SkillList, ToolList } from './inspection-lists.tsx'
import { RunSettings } from './run-settings.tsx'

const route = getRouteApi('/shell/agents/$agentId')

/** The settings of a Boo, and the contents of its next turn. */
export function SetUpTab() {
  const { agentId } = route.useParams()
  const { agent } = useAgent(agentId)
  const runtime = useRuntime(agent?.runtime)
  if (!agent) return null
  if (agent.participantKind === 'human') return <Navigate to="/agents/$agentId/identity" params={{ agentId }} replace />
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
    >
      <Section title="How it runs" about="Takes effect on its next turn.">
        <RunSettings key={agent.id} agent={agent} />
      </Section>
      {runtime?.inspectable ? <Inspection agent={agent} /> : null}
    </div>
  )
}

function Inspection({ agent }: { agent: Agent }) {
  const inspection = useInspection(agent.id, String(agent.updatedAt))
  if (inspection.error) {
    return <ErrorState {...readProblem(inspection.error, 'its set-up')} onRetry={() => void inspection.refetch()} />
  }
  if (!inspection.data) return <LoadingState what="what goes into its next turn" rows={4} />
  const { files, skills, tools, commandPolicy, systemPromptCharacters } = inspection.data
  return (
    <>
      <Section
        title="Files it reads"
        about={`Sent with every model call, as part of the instructions: ${counted(systemPromptCharacters, 'character')} in total.`}
      >
        <PromptFiles agentId={agent.id} files={files} />
      </Section>
      <Section title="Skills" about="Know-how it reads when a task needs it.">
        <SkillList skills={skills} />
      </Section>
      <Section title="Tools" about="The tools it may use, and why.">
        <ToolList tools={tools} />
      </Section>
      <Section title="Commands" about="Which commands run without your approval.">
        <CommandLines lines={commandPolicy} />
      </Section>
    </>
  )
}
