import { type Db, sql } from './sql.ts'

export interface ToolServerRecord {
  readonly name: string
  readonly endpoint: string
  readonly createdAt: number
  /** When it last told what it offers. */
  readonly seenAt: number
}

export interface OutsideToolRecord {
  readonly id: string
  readonly server: string
  readonly name: string
  /** JSON, as last seen. */
  readonly descriptor: string
  readonly hash: string
  /** JSON. */
  readonly findings: string
  readonly state: 'pending' | 'approved' | 'suspended'
  readonly reason: string | null
  /** JSON, as it was approved; null = it never was. */
  readonly approvedDescriptor: string | null
  readonly approvedHash: string | null
  readonly approvedBy: string | null
  readonly approvedAt: number | null
  readonly createdAt: number
}

/** Outside MCP servers and their tools. */
export interface OutsideToolsRepository {
  servers(): Promise<ToolServerRecord[]>
  server(name: string): Promise<ToolServerRecord | null>
  insertServer(server: ToolServerRecord): Promise<void>
  markSeen(name: string, at: number): Promise<void>
  /** Takes its tools with it. */
  removeServer(name: string): Promise<boolean>
  /** By server and name. */
  list(server?: string): Promise<OutsideToolRecord[]>
  get(id: string): Promise<OutsideToolRecord | null>
  find(server: string, name: string): Promise<OutsideToolRecord | null>
  insert(tool: OutsideToolRecord): Promise<void>
  save(tool: OutsideToolRecord): Promise<void>
  remove(id: string): Promise<void>
}

export function createOutsideToolsRepository(db: Db): OutsideToolsRepository {
  const first = async (query: ReturnType<typeof sql>) => {
    const row = await db.get<ToolRow>(query)
    return row ? toolRecord(row) : null
  }
  return {
    servers: async () =>
      (await db.all<ServerRow>(sql`SELECT * FROM tool_servers ORDER BY name`)).map((row) => serverRecord(row)),
    server: async (name) => {
      const row = await db.get<ServerRow>(sql`SELECT * FROM tool_servers WHERE name = ${name}`)
      return row ? serverRecord(row) : null
    },
    insertServer: async ({ name, endpoint, createdAt, seenAt }) => {
      await db.run(sql`INSERT INTO tool_servers (name, endpoint, created_at, seen_at)
        VALUES (${name}, ${endpoint}, ${createdAt}, ${seenAt})`)
    },
    markSeen: async (name, at) => {
      await db.run(sql`UPDATE tool_servers SET seen_at = ${at} WHERE name = ${name}`)
    },
    removeServer: async (name) => (await db.run(sql`DELETE FROM tool_servers WHERE name = ${name}`)) === 1,
    list: async (server) => {
      const which = server === undefined ? sql`1 = 1` : sql`server = ${server}`
      const rows = await db.all<ToolRow>(sql`SELECT * FROM outside_tools WHERE ${which} ORDER BY server, name`)
      return rows.map(toolRecord)
    },
    get: (id) => first(sql`SELECT * FROM outside_tools WHERE id = ${id}`),
    find: (server, name) => first(sql`SELECT * FROM outside_tools WHERE server = ${server} AND name = ${name}`),
    insert: async (tool) => {
      await db.run(sql`INSERT INTO outside_tools (id, server, name, descriptor, hash, findings, state, reason,
          approved_descriptor, approved_hash, approved_by, approved_at, created_at)
        VALUES (${tool.id}, ${tool.server}, ${tool.name}, ${tool.descriptor}, ${tool.hash}, ${tool.findings}, ${tool.state},
          ${tool.reason}, ${tool.approvedDescriptor}, ${tool.approvedHash}, ${tool.approvedBy}, ${tool.approvedAt},
          ${tool.createdAt})`)
    },
    save: async (tool) => {
      await db.run(sql`UPDATE outside_tools SET descriptor = ${tool.descriptor}, hash = ${tool.hash},
          findings = ${tool.findings}, state = ${tool.state}, reason = ${tool.reason},
          approved_descriptor = ${tool.approvedDescriptor}, approved_hash = ${tool.approvedHash},
          approved_by = ${tool.approvedBy}, approved_at = ${tool.approvedAt}
        WHERE id = ${tool.id}`)
    },
    remove: async (id) => {
      await db.run(sql`DELETE FROM outside_tools WHERE id = ${id}`)
    },
  }
}

interface ServerRow {
  readonly name: string
  readonly endpoint: string
  readonly created_at: number
  readonly seen_at: number
}

interface ToolRow {
  readonly id: string
  readonly server: string
  readonly name: string
  readonly descriptor: string
  readonly hash: string
  readonly findings: string
  readonly state: OutsideToolRecord['state']
  readonly reason: string | null
  readonly approved_descriptor: string | null
  readonly approved_hash: string | null
  readonly approved_by: string | null
  readonly approved_at: number | null
  readonly created_at: number
}

function serverRecord({ name, endpoint, created_at, seen_at }: ServerRow): ToolServerRecord {
  return { name, endpoint, createdAt: created_at, seenAt: seen_at }
}

function toolRecord(row: ToolRow): OutsideToolRecord {
  const { id, server, name, descriptor, hash, findings, state, reason } = row
  return {
    ...{ id, server, name, descriptor, hash, findings, state, reason },
    approvedDescriptor: row.approved_descriptor,
    approvedHash: row.approved_hash,
    approvedBy: row.approved_by,
    approvedAt: row.approved_at,
    createdAt: row.created_at,
  }
}
