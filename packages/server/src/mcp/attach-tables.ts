import { callTool, type ToolAnswer, type ToolCall, type ToolWatch } from './call-tool.ts'
import type { Caller } from './caller.ts'
import { findTool, listTools, type ToolTable } from './tool-table.ts'

interface AttachedTools {
  /** As `tools/list` returns them. */
  readonly tools: readonly AttachedTool[]
  /** Resolves to null when the caller has no such tool. Never rejects. */
  call(call: ToolCall): Promise<ToolAnswer | null>
}

interface AttachedTool {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly isReadOnly: boolean
}

/** The tables without a protocol, for a runtime in this process. */
export function attachTables(tables: readonly ToolTable[], caller: Caller, watch: ToolWatch): AttachedTools {
  return {
    tools: tables.flatMap((table) =>
      listTools(table, caller).map((tool) => ({
        server: table.name,
        name: tool.name,
        description: tool.description ?? '',
        inputSchema: tool.inputSchema,
        isReadOnly: tool.annotations?.readOnlyHint === true,
      })),
    ),
    async call(call) {
      const table = tables.find((candidate) => findTool(candidate, caller, call.name))
      if (!table && caller.kind === 'run') await watch.refused(caller, call.name, 'tool_not_granted')
      return table ? callTool(table, caller, call, watch) : null
    },
  }
}
