import type { TeamRecord } from '@clawboo/core/registry'
import { type Db, join, type Sql, sql } from '../../sql.ts'

export interface NewTeam {
  readonly id: string
  readonly name: string
  readonly description?: string | null
  readonly leadAgentId?: string | null
  readonly createdAt: number
}

/** Fields to overwrite. An absent field keeps its value. */
export interface TeamPatch {
  readonly name?: string
  readonly description?: string | null
  readonly leadAgentId?: string | null
  readonly archivedAt?: number | null
  readonly updatedAt: number
}

/** The folder in which a team's tasks work, and the command that checks their work. */
export interface TeamProject {
  /** null = the tasks work in their agents' own workspaces. */
  readonly folder: string | null
  readonly checkCommand: string | null
}

export interface TeamsRepository {
  list(options?: { includeArchived?: boolean }): Promise<TeamRecord[]>
  get(id: string): Promise<TeamRecord | null>
  insert(team: NewTeam): Promise<TeamRecord>
  /** null for an unknown id. */
  update(id: string, patch: TeamPatch): Promise<TeamRecord | null>
  /** The members stay, without a team. */
  remove(id: string): Promise<boolean>
  /** null for an unknown id. */
  project(id: string): Promise<TeamProject | null>
  /** False for an unknown id. */
  setProject(id: string, project: TeamProject, at: number): Promise<boolean>
}

export function createTeamsRepository(db: Db): TeamsRepository {
  const select = (condition: Sql) =>
    db.all<TeamRecord>(sql`SELECT id, name, description, lead_agent_id,
        (SELECT count(*) FROM agents WHERE agents.team_id = teams.id AND agents.archived_at IS NULL) AS agent_count,
        tenant_id, archived_at, created_at, updated_at
      FROM teams WHERE ${condition} ORDER BY teams.created_at, teams.id`)
  const get = async (id: string) => (await select(sql`teams.id = ${id}`))[0] ?? null

  return {
    list: (options) => select(options?.includeArchived ? sql`1 = 1` : sql`teams.archived_at IS NULL`),
    get,
    insert: async (team) => {
      await db.run(sql`INSERT INTO teams (id, name, description, lead_agent_id, created_at, updated_at)
        VALUES (${team.id}, ${team.name}, ${team.description ?? null}, ${team.leadAgentId ?? null}, ${team.createdAt}, ${team.createdAt})`)
      return (await get(team.id))!
    },
    update: async (id, patch) => {
      const assignments = [sql`updated_at = ${patch.updatedAt}`]
      if (patch.name !== undefined) assignments.push(sql`name = ${patch.name}`)
      if (patch.description !== undefined) assignments.push(sql`description = ${patch.description}`)
      if (patch.leadAgentId !== undefined) assignments.push(sql`lead_agent_id = ${patch.leadAgentId}`)
      if (patch.archivedAt !== undefined) assignments.push(sql`archived_at = ${patch.archivedAt}`)
      await db.run(sql`UPDATE teams SET ${join(assignments)} WHERE id = ${id}`)
      return get(id)
    },
    remove: async (id) => (await db.run(sql`DELETE FROM teams WHERE id = ${id}`)) === 1,
    project: async (id) =>
      (await db.get<TeamProject>(sql`SELECT project_folder AS folder, check_command FROM teams WHERE id = ${id}`)) ??
      null,
    setProject: async (id, { folder, checkCommand }, at) =>
      (await db.run(sql`UPDATE teams SET project_folder = ${folder}, check_command = ${checkCommand}, updated_at = ${at}
        WHERE id = ${id}`)) === 1,
  }
}
