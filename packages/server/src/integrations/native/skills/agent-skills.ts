import { join } from 'node:path'
import type { IntegrationHost } from '../../host.ts'
import type { NativeConfig } from '../agent-config.ts'
import type { AgentState } from '../agent-states.ts'
import { findSkills } from './find-skills.ts'
import { createProgramLookup, judgeSkill, type SkillVerdict } from './judge-skill.ts'
import type { Skill, SkillLocation, SkillRoot } from './skill.ts'
import type { FolderProblem } from './skill-folders.ts'
import { renderSkillsSection, type SkillsSection } from './skills-section.ts'

export interface JudgedSkills {
  readonly judged: readonly { readonly skill: Skill; readonly verdict: SkillVerdict }[]
  readonly section: SkillsSection
  readonly problems: readonly FolderProblem[]
  /** The folders of eligible skills outside the workspace. The agent cannot write there, so it made none of their links. */
  readonly foldersOutside: readonly string[]
}

const IN_WORKSPACE: ReadonlySet<SkillLocation> = new Set(['workspace', 'project'])
// In the packaged build all code is in one folder, next to the skills.
const BUNDLED = join(import.meta.dirname, import.meta.filename.endsWith('.js') ? '.' : '..', 'bundled-skills')

/** Finds the current skills of one agent and decides which of them are eligible. */
export async function agentSkills(
  host: IntegrationHost,
  state: Pick<AgentState, 'workspace' | 'skills'>,
  config: NativeConfig,
): Promise<JudgedSkills> {
  const roots = skillRoots({
    workspace: state.workspace,
    userHome: host.machine.userHome,
    home: host.homeFolder,
    bundled: BUNDLED,
    extraDirs: config.skills?.extraDirs ?? [],
  })
  const { skills, problems } = await findSkills(roots, state.skills)
  const context = {
    disabled: config.skills?.disabled ?? [],
    platform: process.platform,
    hasProgram: createProgramLookup(host.machine.environment.PATH ?? ''),
    environment: host.machine.environment,
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
  }
}

/** The six locations, highest precedence first. */
export function skillRoots({
  workspace,
  userHome,
  home,
  bundled,
  extraDirs,
}: {
  readonly workspace: string
  /** The person's home folder. */
  readonly userHome: string
  /** The integration's folder in Clawboo's home. */
  readonly home: string
  readonly bundled: string
  readonly extraDirs: readonly string[]
}): SkillRoot[] {
  return [
    { location: 'workspace', path: join(workspace, 'skills'), within: workspace },
    { location: 'project', path: join(workspace, '.agents', 'skills'), within: workspace },
    { location: 'personal', path: join(userHome, '.agents', 'skills'), within: null },
    { location: 'managed', path: join(home, 'skills'), within: null },
    { location: 'bundled', path: bundled, within: null },
    ...extraDirs.map((path) => ({ location: 'extra', path, within: null }) as const),
  ]
}
