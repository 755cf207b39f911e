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
interface TeamPatch {
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

export function createTeamsRepository(db: Db) {
  const select = (condition: Sql) =>
    db.all<TeamRecord>(sql`SELECT id, name, description, lead_agent_id,
        (SELECT count(*) FROM agents WHERE agents.team_id = teams.id AND agents.archived_at IS NULL) AS agent_count,
        tenant_id, archived_at, created_at, updated_at
      FROM teams WHERE ${condition} ORDER BY teams.created_at, teams.id`)
  const get = async (id: string) => (await select(sql`teams.id = ${id}`))[0] ?? null

  return {
    list: (options?: { includeArchived?: boolean }) =>
      select(options?.includeArchived ? sql`1 = 1` : sql`teams.archived_at IS NULL`),
    get,
    insert: async (team: NewTeam) => {
      await db.run(sql`INSERT INTO teams (id, name, description, lead_agent_id, created_at, updated_at)
        VALUES (${team.id}, ${team.name}, ${team.description ?? null}, ${team.leadAgentId ?? null}, ${team.createdAt}, ${team.createdAt})`)
      return (await get(team.id))!
    },
    /** null for an unknown id. */
    update: async (id: string, patch: TeamPatch) => {
      const assignments = [sql`updated_at = ${patch.updatedAt}`]
      if (patch.name !== undefined) assignments.push(sql`name = ${patch.name}`)
      if (patch.description !== undefined) assignments.push(sql`description = ${patch.description}`)
      if (patch.leadAgentId !== undefined) assignments.push(sql`lead_agent_id = ${patch.leadAgentId}`)
      if (patch.archivedAt !== undefined) assignments.push(sql`archived_at = ${patch.archivedAt}`)
      await db.run(sql`UPDATE teams SET ${join(assignments)} WHERE id = ${id}`)
      return get(id)
    },
    /** The members stay, without a team. */
    remove: async (id: string) => (await db.run(sql`DELETE FROM teams WHERE id = ${id}`)) === 1,
    /** null for an unknown id. */
    project: async (id: string) =>
      (await db.get<TeamProject>(sql`SELECT project_folder AS folder, check_command FROM teams WHERE id = ${id}`)) ??
      null,
    /** False for an unknown id. */
    setProject: async (id: string, { folder, checkCommand }: TeamProject, at: number) =>
      (await db.run(sql`UPDATE teams SET project_folder = ${folder}, check_command = ${checkCommand}, updated_at = ${at}
        WHERE id = ${id}`)) === 1,
  }
}
