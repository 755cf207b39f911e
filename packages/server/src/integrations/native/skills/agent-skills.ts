import { join } from 'node:path'
import type { IntegrationHost } from '../../host.ts'
import type { NativeConfig } from '../agent-config.ts'
import type { AgentDesk } from '../agent-desk.ts'
import { findSkills } from './find-skills.ts'
import { judgeSkill, type SkillVerdict } from './judge-skill.ts'
import { createProgramLookup } from './program-lookup.ts'
import type { Skill, SkillEntries, SkillLocation } from './skill.ts'
import { skillEnvironment } from './skill-environment.ts'
import type { FolderProblem } from './skill-folders.ts'
import { skillRoots } from './skill-roots.ts'
import { renderSkillsSection, type SkillsSection } from './skills-section.ts'

export interface JudgedSkills {
  readonly judged: readonly { readonly skill: Skill; readonly verdict: SkillVerdict }[]
  readonly section: SkillsSection
  readonly problems: readonly FolderProblem[]
  /** The folders of eligible skills outside the workspace. The agent cannot write there, so it made none of their links. */
  readonly foldersOutside: readonly string[]
  /** The environment variables of the eligible skills, for commands. */
  readonly environment: Readonly<Record<string, string>>
}

const IN_WORKSPACE: ReadonlySet<SkillLocation> = new Set(['workspace', 'project'])
// In the packaged build all code is in one folder, next to the skills.
const BUNDLED = join(import.meta.dirname, import.meta.filename.endsWith('.js') ? '.' : '..', 'bundled-skills')

/** Finds the current skills of one agent and decides which of them are eligible. */
export async function agentSkills(
  host: IntegrationHost,
  desk: Pick<AgentDesk, 'workspace' | 'skills'>,
  config: NativeConfig,
): Promise<JudgedSkills> {
  const roots = skillRoots({
    workspace: desk.workspace,
    userHome: host.machine.userHome,
    home: host.homeFolder,
    bundled: BUNDLED,
    extraDirs: config.skills?.extraDirs ?? [],
  })
  const { skills, problems } = await findSkills(roots, { reader: desk.skills })
  const entries: SkillEntries = Object.fromEntries(
    (config.skills?.disabled ?? []).map((name) => [name, { enabled: false }]),
  )
  const context = {
    entries,
    allowBundled: [],
    platform: process.platform,
    hasProgram: createProgramLookup(host.machine.environment.PATH ?? ''),
    environment: host.machine.environment,
    config: {},
    allowedSkills: config.skills?.allow ?? null,
  }
  const judged = skills.map((skill) => ({ skill, verdict: judgeSkill(skill, context) }))
  const eligible = judged.filter(({ verdict }) => verdict.eligible).map(({ skill }) => skill)
  return {
    judged,
    problems,
    foldersOutside: eligible.filter(({ location }) => !IN_WORKSPACE.has(location)).map(({ folder }) => folder),
    // Absolute paths, because the read tool does not expand `~`.
    section: renderSkillsSection(eligible),
    environment: skillEnvironment(eligible, entries, host.machine.environment),
  }
}
