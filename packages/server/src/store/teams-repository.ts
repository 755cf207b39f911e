import type { TeamRecord } from '@clawboo/core/registry'
import { type Db, join, type Sql, sql } from './sql.ts'

export interface NewTeam {
  readonly id: string
  readonly name: string
  readonly description?: string | null
  readonly leadAgentId?: string | null
  readonly createdAt: number
}

/** Fields to overwrite; an absent one stays as it is. */
export interface TeamPatch {
  readonly name?: string
  readonly description?: string | null
  readonly leadAgentId?: string | null
  readonly archivedAt?: number | null
  readonly updatedAt: number
}

/** Where a team's tasks work and how their work is checked. */
export interface TeamProject {
  /** null = its tasks work in their agents' own workspaces. */
  readonly folder: string | null
  readonly checkCommand: string | null
}

export interface TeamsRepository {
  list(options?: { includeArchived?: boolean }): Promise<TeamRecord[]>
  get(id: string): Promise<TeamRecord | null>
  insert(team: NewTeam): Promise<TeamRecord>
  /** null for an unknown id. */
  update(id: string, patch: TeamPatch): Promise<TeamRecord | null>
  /** Its members fall back to no team. */
  remove(id: string): Promise<boolean>
  /** null for an unknown id. */
  project(id: string): Promise<TeamProject | null>
  /** False for an unknown id. */
  setProject(id: string, project: TeamProject, at: number): Promise<boolean>
}

export function createTeamsRepository(db: Db): TeamsRepository {
  const select = async (condition: Sql) => {
    const rows = await db.all<TeamRow>(sql`SELECT teams.*,
      (SELECT count(*) FROM agents WHERE agents.team_id = teams.id AND agents.archived_at IS NULL) AS agent_count
      FROM teams WHERE ${condition} ORDER BY teams.created_at, teams.id`)
    return rows.map(teamRecord)
  }
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
    project: async (id) => {
      const row = await db.get<{ project_folder: string | null; check_command: string | null }>(
        sql`SELECT project_folder, check_command FROM teams WHERE id = ${id}`,
      )
      return row ? { folder: row.project_folder, checkCommand: row.check_command } : null
    },
    setProject: async (id, { folder, checkCommand }, at) =>
      (await db.run(sql`UPDATE teams SET project_folder = ${folder}, check_command = ${checkCommand}, updated_at = ${at}
        WHERE id = ${id}`)) === 1,
  }
}

interface TeamRow {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly lead_agent_id: string | null
  readonly agent_count: number
  readonly tenant_id: string | null
  readonly archived_at: number | null
  readonly created_at: number
  readonly updated_at: number
}

function teamRecord(row: TeamRow): TeamRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    leadAgentId: row.lead_agent_id,
    agentCount: row.agent_count,
    tenantId: row.tenant_id,
    archivedAt: row.archived_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
