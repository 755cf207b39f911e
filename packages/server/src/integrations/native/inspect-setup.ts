import type { AgentInspection, InspectedFile } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { type AgentSetup, prepareSetup } from './agent-setup.ts'
import type { AgentState } from './agent-states.ts'
import type { BootstrapReportRow } from './bootstrap/fit-bootstrap-files.ts'
import { DEMO_CANDIDATE } from './models/demo/demo-candidate.ts'
import type { Models } from './models/models.ts'

/**
 * Shows the input of the next run without starting it. A model that cannot be used is shown as a problem, not thrown.
 */
export async function inspectSetup(input: {
  readonly host: IntegrationHost
  readonly state: AgentState
  readonly models: Models
  readonly agent: AgentRecord
  readonly sessionKey: string
}): Promise<AgentInspection> {
  const { checkExecConfig } = await import('./agent-config.ts')
  const config = checkExecConfig(input.agent.execConfig) ?? {}
  const list = await input.models.candidates({
    ref: config.model ?? null,
    chosenBy: config.model ? 'agent' : 'default',
  })
  const candidate = list.ok ? list.chain[0]! : DEMO_CANDIDATE
  const setup = await prepareSetup({ ...input, config, candidate })
  const chosen = `${candidate.provider}/${candidate.model}`
  return {
    model: list.ok ? { ref: chosen, problem: null } : { ref: config.model ?? '', problem: list.message },
    files: setup.files.rows.map(inspectedFile),
    skills: inspectedSkills(setup),
    tools: setup.toolVerdicts.map(({ tool, allowed, reason }) => ({ name: tool, allowed, reason })),
    commandPolicy: [...setup.execPolicy.because, ...setup.execPolicy.warnings],
    systemPromptCharacters: setup.system.text.length,
  }
}

function inspectedFile(row: BootstrapReportRow): InspectedFile {
  const words = {
    'max/file': 'Shortened: it is longer than one file may be in the prompt',
    'max/total': 'Shortened or left out: together the files exceed the limit of the prompt',
    missing: 'Missing',
    'too large': 'Left out: larger than 2 MiB',
    escapes: 'Left out: it is a link, or has a second hard link',
    unreadable: 'Left out: not a readable text file',
  } as const
  return {
    name: row.name,
    characters: row.rawChars ?? 0,
    injectedCharacters: row.injectedChars,
    problem: row.cause === null ? null : words[row.cause],
    lostHeadings: row.lostHeadings.map(({ heading, lost }) => (lost === 'whole' ? heading : `${heading} (in part)`)),
  }
}

function inspectedSkills({ skills }: AgentSetup): AgentInspection['skills'] {
  const cut = new Set(skills.section.cut.map(({ name }) => name))
  const found = skills.judged.map(({ skill, verdict }) => ({
    name: skill.name,
    description: skill.description,
    location: skill.location,
    eligible: verdict.eligible,
    problem: verdict.eligible
      ? cut.has(skill.name)
        ? 'left out of the prompt, because it did not fit'
        : skills.section.form === 'compact'
          ? 'in the prompt without its description, which did not fit'
          : null
      : verdict.reason,
  }))
  const broken = skills.problems.map(({ path, problem }) => ({
    name: path,
    description: '',
    location: 'unreadable',
    eligible: false,
    problem,
  }))
  return [...found, ...broken]
}
