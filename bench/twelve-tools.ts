import { z } from 'zod'
import { defineTool, type ToolTable } from '../packages/server/src/mcp/tool-table.ts'

const person = z.strictObject({ id: z.string(), name: z.string(), team: z.string().nullable() })

/** Twelve tools with six arguments each and a result of about 400 bytes, which the protocol transmits twice. */
export function createTwelveTools(): ToolTable {
  return {
    name: 'twelve',
    instructions: 'For measurements.',
    tools: Array.from({ length: 12 }, (_, n) =>
      defineTool({
        name: `task_add_${n}`,
        title: 'Add a task',
        description: 'Makes a task with a title, a text and a few more things that a task has.',
        input: z.strictObject({
          title: z.string().min(1).max(200),
          body: z.string().max(10_000),
          priority: z.enum(['low', 'normal', 'high']),
          tags: z.array(z.string().max(40)).max(10),
          estimate: z.int().min(0).max(100).optional(),
          changesFiles: z.boolean().default(false),
        }),
        output: z.strictObject({
          task: z.strictObject({ id: z.string(), title: z.string(), body: z.string(), priority: z.string() }),
          people: z.array(person),
          hasMore: z.boolean(),
        }),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
        handler: async (caller, { title, body, priority }) => ({
          task: { id: caller.kind === 'run' ? caller.runId : 'operator', title, body, priority },
          people: [1, 2, 3].map((id) => ({ id: `person-${id}`, name: `Person number ${id}`, team: null })),
          hasMore: false,
        }),
      }),
    ),
  }
}
