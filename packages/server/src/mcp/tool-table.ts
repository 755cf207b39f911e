import type { ContentBlock, Tool as ListedTool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type Caller, mayCall } from './caller.ts'

/** One tool. Its schemas are strict: an argument that is not in them, such as an author, is refused and not ignored. */
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
  /** What the operator says besides, who is bound to no team and no run. For a run no such argument exists. */
  readonly operatorInput?: OperatorInput
  readonly output: Output
  readonly annotations: ToolAnnotations
  /** A ClawbooError it throws is told to the model; anything else is a mistake of ours and is not. */
  handler(
    caller: Caller,
    args: z.output<Input> & Partial<z.output<OperatorInput>>,
    signal: AbortSignal,
  ): Promise<z.input<Output>>
  /** How the answer reads; as JSON when absent. */
  content?(answer: z.output<Output>): ContentBlock[]
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool whose argument types only its own schemas know. */
export type AnyTool = Tool

/** One MCP server: what every transport serves. */
export interface ToolTable {
  /** The last part of its address. */
  readonly name: string
  readonly instructions: string
  readonly tools: readonly AnyTool[]
}

/** Types a tool by its schemas and refuses, when the program starts, one that clients could not use. */
export function defineTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  OperatorInput extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(tool: Tool<Input, Output, OperatorInput>): AnyTool {
  if (!/^[a-z][a-z\d_]{0,63}$/.test(tool.name)) throw new TypeError(`"${tool.name}" is no name for a tool`)
  for (const schema of [tool.input, tool.output]) {
    if (!(schema.def.catchall instanceof z.ZodNever)) throw new TypeError(`a schema of ${tool.name} is not strict`)
  }
  return tool as unknown as AnyTool
}

/** The arguments as this caller may give them. */
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

/** What `tools/list` tells this caller. Schemas are converted once for each table and kind of caller. */
export function listTools(table: ToolTable, caller: Caller): readonly ListedTool[] {
  const listings = LISTINGS[caller.kind]
  let all = listings.get(table)
  if (!all) {
    all = table.tools.map((tool) => listedTool(tool, inputFor(tool, caller)))
    listings.set(table, all)
  }
  return caller.kind === 'operator' ? all : all.filter((tool) => mayCall(caller, tool.name))
}

/** Undefined when it is not there, and also when it is not there for this caller. */
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
