import { type Db, type Sql, sql } from '../../sql.ts'

export interface ToolServerRecord {
  readonly name: string
  readonly endpoint: string
  readonly createdAt: number
  /** When the server last listed its tools. */
  readonly seenAt: number
}

export interface OutsideToolRecord {
  readonly id: string
  readonly server: string
  readonly name: string
  /** JSON of the tool as the server last described it. */
  readonly descriptor: string
  readonly hash: string
  /** JSON. */
  readonly findings: string
  readonly state: 'pending' | 'approved' | 'suspended'
  readonly reason: string | null
  /** JSON of the tool when it was approved; null = it was never approved. */
  readonly approvedDescriptor: string | null
  readonly approvedHash: string | null
  readonly approvedBy: string | null
  readonly approvedAt: number | null
  readonly createdAt: number
}

/** Outside MCP servers and their tools. */
export function createOutsideToolsRepository(db: Db) {
  const firstTool = async (query: Sql) => (await db.get<OutsideToolRecord>(query)) ?? null
  return {
    servers: (): Promise<ToolServerRecord[]> => db.all(sql`SELECT * FROM tool_servers ORDER BY name`),
    server: async (name: string) =>
      (await db.get<ToolServerRecord>(sql`SELECT * FROM tool_servers WHERE name = ${name}`)) ?? null,
    insertServer: async ({ name, endpoint, createdAt, seenAt }: ToolServerRecord) => {
      await db.run(sql`INSERT INTO tool_servers (name, endpoint, created_at, seen_at)
        VALUES (${name}, ${endpoint}, ${createdAt}, ${seenAt})`)
    },
    markSeen: async (name: string, at: number) => {
      await db.run(sql`UPDATE tool_servers SET seen_at = ${at} WHERE name = ${name}`)
    },
    /** Also removes the server's tools. */
    removeServer: async (name: string) => (await db.run(sql`DELETE FROM tool_servers WHERE name = ${name}`)) === 1,
    /** Ordered by server and name. */
    list: (server?: string): Promise<OutsideToolRecord[]> => {
      const ofServer = server === undefined ? sql`1 = 1` : sql`server = ${server}`
      return db.all(sql`SELECT * FROM outside_tools WHERE ${ofServer} ORDER BY server, name`)
    },
    get: (id: string) => firstTool(sql`SELECT * FROM outside_tools WHERE id = ${id}`),
    find: (server: string, name: string) =>
      firstTool(sql`SELECT * FROM outside_tools WHERE server = ${server} AND name = ${name}`),
    insert: async (tool: OutsideToolRecord) => {
      await db.run(sql`INSERT INTO outside_tools (id, server, name, descriptor, hash, findings, state, reason,
          approved_descriptor, approved_hash, approved_by, approved_at, created_at)
        VALUES (${tool.id}, ${tool.server}, ${tool.name}, ${tool.descriptor}, ${tool.hash}, ${tool.findings}, ${tool.state},
          ${tool.reason}, ${tool.approvedDescriptor}, ${tool.approvedHash}, ${tool.approvedBy}, ${tool.approvedAt},
          ${tool.createdAt})`)
    },
    save: async (tool: OutsideToolRecord) => {
      await db.run(sql`UPDATE outside_tools SET descriptor = ${tool.descriptor}, hash = ${tool.hash},
          findings = ${tool.findings}, state = ${tool.state}, reason = ${tool.reason},
          approved_descriptor = ${tool.approvedDescriptor}, approved_hash = ${tool.approvedHash},
          approved_by = ${tool.approvedBy}, approved_at = ${tool.approvedAt}
        WHERE id = ${tool.id}`)
    },
    remove: async (id: string) => {
      await db.run(sql`DELETE FROM outside_tools WHERE id = ${id}`)
    },
  }
}
