import type { Benchmark } from './harness.ts'
import { openMcpLoad } from './mcp-load.ts'

const TASK = { title: 'Boil water', body: 'x'.repeat(80), priority: 'high', tags: ['tea', 'hot'], estimate: 3 }

/** A call of one of twelve tools with a run's grant, against a bare Hono POST with the same bytes both ways. */
export const mcpCall: Benchmark = {
  name: 'mcp-call',
  unit: 'calls/s',
  bound: { atLeast: 0.3 },
  open: () => openMcpLoad('mcp-call-child.ts', 'task_add_7', TASK),
}
