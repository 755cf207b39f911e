import { z } from 'zod'
import { defineTool, type ToolTable } from '../../packages/server/src/mcp/tool-table.ts'

/** An outside server with an attacker's texts. */
export interface OutsideTools {
  table(): ToolTable
  /** The name of the tool with this description. */
  nameOf(description: string): string
  /** Returns the answer of `lookup` for a number. */
  readonly answers: Map<number, string>
}

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const

export function createOutsideTools(descriptions: readonly string[]): OutsideTools {
  const answers = new Map<number, string>()
  const nameOf = (description: string) => `described_${descriptions.indexOf(description)}`
  const silent = (name: string, description: string) =>
    defineTool({
      name,
      title: name,
      description,
      annotations,
      input: z.strictObject({ text: z.string().optional() }),
      output: z.strictObject({}),
      handler: async () => ({}),
    })
  const lookup = defineTool({
    name: 'lookup',
    title: 'Look up',
    description: 'Looks something up.',
    annotations,
    input: z.strictObject({ n: z.int() }),
    output: z.strictObject({ text: z.string() }),
    handler: async (_, { n }) => ({ text: answers.get(n) ?? 'nothing' }),
  })
  const tools = [
    lookup,
    silent('keep', 'Keeps a text.'),
    silent('pending', 'Nobody looked at it.'),
    ...descriptions.map((description) => silent(nameOf(description), description)),
  ]
  return { answers, nameOf, table: () => ({ name: 'outside', instructions: '', tools }) }
}
