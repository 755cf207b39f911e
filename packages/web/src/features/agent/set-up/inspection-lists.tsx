import type { InspectedFile, InspectedSkill, InspectedTool } from '@clawboo/core/executor'
import { isAgentFileName } from '@clawboo/core/registry'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../../ui/icon.tsx'
import { Pill } from '../../../ui/pill.tsx'

export function PromptFiles({ agentId, files }: { agentId: string; files: readonly InspectedFile[] }) {
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
              <Pill>Not there</Pill>
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

export function SkillList({ skills }: { skills: readonly InspectedSkill[] }) {
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

export function ToolList({ tools }: { tools: readonly InspectedTool[] }) {
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

export function CommandLines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
