import type { ContentBlock, Tool as ListedTool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Caller, mayCall } from './caller.ts'

/** One tool. Its schemas are strict: an unknown argument, such as an author, is refused, not ignored. */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  OperatorInput extends z.ZodObject = z.ZodObject,
> {
  readonly name: string
  readonly title: string
  /** For the model. */
  readonly description: string
  readonly input: Input
  /** Additional arguments of the operator, who has no team and no run. They do not exist for a run. */
  readonly operatorInput?: OperatorInput
  readonly output: Output
  readonly annotations: ToolAnnotations
  /** The model sees the message of a ClawbooError; any other error is a programming mistake and stays hidden. */
  handler(
    caller: Caller,
    args: z.output<Input> & Partial<z.output<OperatorInput>>,
    signal: AbortSignal,
  ): Promise<z.input<Output>>
  /** Formats the answer; JSON when absent. */
  content?(answer: z.output<Output>): ContentBlock[]
}

interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool with argument types that only its own schemas define. */
export type AnyTool = Tool

/** One MCP server, for every transport. */
export interface ToolTable {
  /** The last part of its address. */
  readonly name: string
  readonly instructions: string
  readonly tools: readonly AnyTool[]
}

/** Types a tool by its schemas. At start-up, throws for a tool that clients could not use. */
export function defineTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  OperatorInput extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(tool: Tool<Input, Output, OperatorInput>): AnyTool {
  if (!/^[a-z][a-z\d_]{0,63}$/.test(tool.name)) throw new TypeError(`"${tool.name}" is not a valid name for a tool`)
  for (const schema of [tool.input, tool.output]) {
    if (!(schema.def.catchall instanceof z.ZodNever)) throw new TypeError(`a schema of ${tool.name} is not strict`)
  }
  return tool as unknown as AnyTool
}

/** The argument schema for this caller. */
export function inputFor(tool: AnyTool, caller: Caller): z.ZodObject {
  if (caller.kind !== 'operator' || tool.operatorInput === undefined) return tool.input
  let whole = operatorInputs.get(tool)
  if (!whole) {
    whole = tool.input.extend(tool.operatorInput.shape)
    operatorInputs.set(tool, whole)
  }
  return whole
}

const operatorInputs = new WeakMap<AnyTool, z.ZodObject>()

/** The `tools/list` result for this caller. Converts the schemas once per table and kind of caller. */
export function listTools(table: ToolTable, caller: Caller): readonly ListedTool[] {
  const listings = LISTINGS[caller.kind]
  let all = listings.get(table)
  if (!all) {
    all = table.tools.map((tool) => listedTool(tool, inputFor(tool, caller)))
    listings.set(table, all)
  }
  return caller.kind === 'operator' ? all : all.filter((tool) => mayCall(caller, tool.name))
}

/** Returns undefined for an unknown tool and for one that this caller may not use. */
export function findTool(table: ToolTable, caller: Caller, name: string): AnyTool | undefined {
  return mayCall(caller, name) ? table.tools.find((tool) => tool.name === name) : undefined
}

const LISTINGS: Readonly<Record<Caller['kind'], WeakMap<ToolTable, ListedTool[]>>> = {
  run: new WeakMap(),
  operator: new WeakMap(),
}

function listedTool({ name, title, description, output, annotations }: AnyTool, input: z.ZodObject): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as ListedTool['inputSchema'],
    outputSchema: z.toJSONSchema(output, { io: 'output' }) as NonNullable<ListedTool['outputSchema']>,
    annotations: { ...annotations },
  }
}
