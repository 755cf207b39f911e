import type { InspectedFile, InspectedSkill, InspectedTool } from '@clawboo/core/executor'
import { isAgentFileName } from '@clawboo/core/registry'
import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { useAgent } from '../../../api/agent/agents.ts'
import { type Agent, useRuntime } from '../../../api/fleet.ts'
import { FRESH, useOperation } from '../../../api/operation.ts'
import { Loaded } from '../../../shared/loaded.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/page-header.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { counted } from '../../../ui/words/time-words.ts'
import { RunSettings } from './run-settings.tsx'

const route = getRouteApi('/shell/agents/$agentId')

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
      {runtime?.inspectable ? <Inspection key={agent.updatedAt} agent={agent} /> : null}
    </div>
  )
}

function Inspection({ agent }: { agent: Agent }) {
  // No event reports changes of files, skills and programs.
  const inspection = useOperation('inspectAgent', { params: { agentId: agent.id } }, { ...FRESH, gcTime: 0 })
  return (
    <Loaded reading={inspection} name="its next run" rows={4}>
      {({ files, skills, tools, commandPolicy, systemPromptCharacters }) => (
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
      )}
    </Loaded>
  )
}

function PromptFiles({ agentId, files }: { agentId: string; files: readonly InspectedFile[] }) {
  if (files.length === 0) return <p className="text-muted">It reads no files.</p>
  return (
    <ul className="flex flex-col">
      {files.map((file) => (
        <li key={file.name} className="border-b border-line py-2 last:border-0">
          <div className="flex items-baseline gap-3">
            <span className="min-w-0 flex-1 truncate font-mono text-sm font-[550]">
              {isAgentFileName(file.name) ? (
                <Link
                  to="/agents/$agentId/files/$fileName"
                  params={{ agentId, fileName: file.name }}
                  className="text-accent-text hover:underline"
                >
                  {file.name}
                </Link>
              ) : (
                file.name
              )}
            </span>
            {file.characters === 0 ? (
              <Pill>Empty</Pill>
            ) : file.problem === null ? null : (
              <Pill tone="needs">{fileState(file)}</Pill>
            )}
            <span className="shrink-0 text-right text-sm text-muted tabular-nums">{sizeWords(file)}</span>
          </div>
          {file.problem === null || file.characters === 0 ? null : (
            <p className="mt-1 text-sm text-needs">{file.problem}</p>
          )}
          {file.lostHeadings.length === 0 ? null : (
            <p className="mt-1 text-sm text-muted">{`Missing or cut: ${file.lostHeadings.join(', ')}`}</p>
          )}
        </li>
      ))}
    </ul>
  )
}

function fileState({ injectedCharacters, characters }: InspectedFile): string {
  if (injectedCharacters === 0) return 'Left out'
  return injectedCharacters < characters ? 'Shortened' : 'Check this'
}

function sizeWords({ injectedCharacters, characters, problem }: InspectedFile): string {
  if (characters === 0) return ''
  const whole = characters.toLocaleString('en-GB')
  if (problem === null) return `${whole} characters`
  return `${injectedCharacters.toLocaleString('en-GB')} of ${whole} characters`
}

function SkillList({ skills }: { skills: readonly InspectedSkill[] }) {
  if (skills.length === 0) return <p className="text-muted">No skills yet.</p>
  return (
    <ul className="flex flex-col">
      {skills.map((skill) => (
        <li key={`${skill.name} ${skill.location}`} className="border-b border-line py-2 last:border-0">
          <div className="flex items-baseline gap-3">
            <span className="min-w-0 flex-1 truncate font-[550]">{skill.name}</span>
            <Pill tone={skill.eligible ? (skill.problem === null ? 'good' : 'needs') : 'plain'}>
              {skill.eligible ? (skill.problem === null ? 'Ready' : 'Ready, shortened') : 'Not usable here'}
            </Pill>
          </div>
          <p className="text-sm text-muted">{skill.description}</p>
          {skill.problem === null ? null : <p className="mt-0.5 text-sm text-needs">{skill.problem}</p>}
        </li>
      ))}
    </ul>
  )
}

function ToolList({ tools }: { tools: readonly InspectedTool[] }) {
  if (tools.length === 0) return <p className="text-muted">No tools.</p>
  return (
    <ul className="flex flex-col">
      {tools.map((tool) => (
        <li
          key={tool.name}
          className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 border-b border-line py-1.5 last:border-0 wide:grid-cols-[auto_140px_minmax(0,1fr)]"
        >
          <span className={tool.allowed ? 'self-center text-good' : 'self-center text-muted'}>
            <Icon name={tool.allowed ? 'check' : 'close'} size={14} />
            <span className="sr-only">{tool.allowed ? 'allowed' : 'not allowed'}</span>
          </span>
          <span className="font-mono text-sm">{tool.name}</span>
          <span className="text-sm text-muted max-wide:col-start-2">{tool.reason}</span>
        </li>
      ))}
    </ul>
  )
}

function CommandLines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
