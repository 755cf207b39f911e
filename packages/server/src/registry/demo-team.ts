import { ClawbooError } from '@clawboo/core'
import type { AgentRecord, CreateAgentInput } from '@clawboo/core/registry'
import type { Agents } from './agents.ts'
import type { TeamProjects } from './team-projects.ts'
import type { TeamDetail, Teams } from './teams.ts'

export interface DemoTeam {
  readonly teamId: string
  readonly agentIds: string[]
}

interface MadeProject {
  readonly folder: string
  discard(): Promise<void>
}

export interface DemoTeamDependencies {
  readonly agents: Agents
  readonly teams: Teams
  readonly projects: Pick<TeamProjects, 'set'>
  /** Creates a project with these files for the team; null when this machine cannot. */
  makeProject(teamId: string, files: Readonly<Record<string, string>>): Promise<MadeProject | null>
  /** Makes board reports wake the leader, who then sums up. */
  letReportsWake(teamId: string): Promise<unknown>
  /** A model that needs no key; null when there is none. */
  readonly model: string | null
}

/** Creates a team of three that needs no key. Removes everything again when a step fails. */
export async function makeDemoTeam(dependencies: DemoTeamDependencies): Promise<DemoTeam> {
  const { agents, teams, projects, model } = dependencies
  if (model === null) throw new ClawbooError('model_unknown', 'there is no model that runs without a key')
  const { team } = await createNamed(teams)
  const made: AgentRecord[] = []
  let project: MadeProject | null = null
  try {
    for (const member of MEMBERS) {
      made.push(await agents.create({ ...member, teamId: team.id, execConfig: { model } }))
    }
    await teams.setLead(team.id, made[0]!.id)
    await dependencies.letReportsWake(team.id)
    project = await dependencies.makeProject(team.id, PROJECT_FILES)
    if (project) await projects.set(team.id, { folder: project.folder, checkCommand: CHECK_COMMAND })
    return { teamId: team.id, agentIds: made.map(({ id }) => id) }
  } catch (error) {
    // The removal is best effort: the original error matters more than a part that could not be removed.
    for (const { id } of made) await agents.remove(id).catch(() => {})
    await teams.remove(team.id).catch(() => {})
    await project?.discard().catch(() => {})
    throw error
  }
}

/** A first file, and a check that fails for an empty Markdown file. */
const PROJECT_FILES = { 'README.md': '# Demo team\n\nYou merge the demo team’s work into this folder.\n' }
const CHECK_COMMAND = "! find . -name '*.md' -empty | grep ."

const NAME = 'Demo team'
const MOST_DEMO_TEAMS = 1000

/**
 * Creates the team under the first free name. Another request may take a name after the look-up, so each name is tried.
 */
async function createNamed(teams: Teams): Promise<TeamDetail> {
  const taken = new Set((await teams.list()).map(({ name }) => name))
  for (let number = 1; number <= MOST_DEMO_TEAMS; number++) {
    const name = number === 1 ? NAME : `${NAME} ${number}`
    if (taken.has(name)) continue
    try {
      return await teams.create({ name, description: 'Three Boos to try things with. Their replies are scripted.' })
    } catch (error) {
      if (!(error instanceof ClawbooError && error.code === 'team_name_taken')) throw error
    }
  }
  throw new ClawbooError('team_name_taken', `there are already ${MOST_DEMO_TEAMS} demo teams; delete one first`)
}

const HOUSE_RULES = `# How we work

- Say in one sentence what you are going to do, then do it.
- Say what you changed and where it is.
- When you are not sure what is wanted, ask one question and wait.
`

const MEMBERS: readonly CreateAgentInput[] = [
  {
    name: 'Pip',
    emoji: '🧭',
    personalityConfig: { role: 'Planner' },
    files: {
      'SOUL.md': `# Pip

You plan. You turn a request into three or four steps that can be checked, and you say which comes first and why.
You are calm, you write short sentences, and you never promise a date.
`,
      'AGENTS.md': HOUSE_RULES,
    },
  },
  {
    name: 'Moss',
    emoji: '🔨',
    personalityConfig: { role: 'Builder' },
    files: {
      'SOUL.md': `# Moss

You build. You take the next step of the plan and finish it before you look at another. You prefer the smallest thing
that works, and you show it rather than describe it.
`,
      'AGENTS.md': HOUSE_RULES,
    },
  },
  {
    name: 'Wren',
    emoji: '🔍',
    personalityConfig: { role: 'Reviewer' },
    files: {
      'SOUL.md': `# Wren

You review. You read the work of others as someone who has to live with it. You name what is good in one line, then what
would break first, with an example. You are kind to people and strict with work.
`,
      'AGENTS.md': HOUSE_RULES,
    },
  },
]
