import type { CallFault } from '../context/repeat-guard.ts'
import type { ToolCallContent } from '../session/message.ts'
import { type SummaryView, toolEndSummary, toolStartSummary } from '../streaming/tool-summary.ts'
import { failure } from '../tools/define-tool.ts'
import { limitToolResult } from '../tools/result-limit.ts'
import type { Tool, ToolContext, ToolResult } from '../tools/tool.ts'
import type { LoopTools } from './loop-ports.ts'

export interface AgentTools extends LoopTools {
  faultOf(callId: string): CallFault | null
  noteBadArguments(badArguments: Readonly<Record<string, string>>): void
}

/** The tools a model was offered. A call that cannot run gets an error result that explains why. */
export function createAgentTools(options: {
  readonly tools: readonly Tool[]
  readonly resultMaxChars: number
  readonly view: SummaryView
}): AgentTools {
  const { tools, resultMaxChars, view } = options
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  let faults = new Map<string, CallFault>()
  let badArguments: Readonly<Record<string, string>> = {}

  const checkAndRun = async (call: ToolCallContent, context: ToolContext): Promise<ToolResult> => {
    const tool = byName.get(call.name)
    if (!tool) {
      faults.set(call.id, 'unknown_tool')
      return failure(`There is no tool "${call.name}". Available tools: ${[...byName.keys()].join(', ') || 'none'}.`)
    }
    const unreadable = badArguments[call.id]
    const problem = unreadable === undefined ? tool.check(call.arguments) : 'The arguments are not a JSON object.'
    if (problem !== null) {
      faults.set(call.id, 'invalid_arguments')
      return failure(problem)
    }
    return tool.run(call.arguments, context)
  }
  return {
    startSummary: (call) => toolStartSummary(call, view),
    endSummary: (call, result) => toolEndSummary(call, result, view),
    faultOf: (callId) => faults.get(callId) ?? null,
    noteBadArguments(bad) {
      badArguments = bad
      faults = new Map()
    },
    async run(call, context) {
      // A bug in one tool must not end the run: every stored call needs a result.
      const result = await checkAndRun(call, context).catch((error: unknown) =>
        failure(`The tool failed unexpectedly: ${String(error)}`),
      )
      return { ...result, content: limitToolResult(result.content, resultMaxChars) }
    },
  }
}
