import { createHash } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import type { Audit } from '../access/audit.ts'
import type { Store } from '../store/open-store.ts'
import { type OutsideTool, outsideTool } from './outside-tool.ts'
import { readToolAnswer, type ToolWords } from './read-tool-answer.ts'
import { canonicalJson, type ToolDescriptor } from './tool-descriptor.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { ToolServerClient } from './tool-server-client.ts'
import { visibleText } from './visible-text.ts'

/** An approved tool as agents see it. `tool` is its server and name. */
export interface BrokeredTool {
  readonly tool: string
  /** As it was approved, whatever the server describes now. */
  readonly descriptor: ToolDescriptor
}

/** The only way from an agent to an outside tool. Tools without an approval do not exist here. */
export interface ToolBroker {
  /** Finds tools with every word of the query in their name or description; matches in names come first. */
  search(query: string, limit: number): Promise<{ readonly tools: readonly BrokeredTool[]; readonly hasMore: boolean }>
  /** Throws `tool_not_found`. */
  describe(tool: string): Promise<BrokeredTool>
  /** Throws `tool_not_found`, `tool_server_failed`. A failure that the tool itself reports is an answer. */
  call(tool: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolWords>
}

export interface ToolBrokerDependencies {
  readonly store: Store
  readonly registry: Pick<ToolRegistry, 'refresh'>
  readonly client: Pick<ToolServerClient, 'callTool'>
  readonly audit: Pick<Audit, 'record'>
  readonly now?: () => number
}

/** How long a descriptor counts as fresh. */
const FRESH_MS = 60_000

export function createToolBroker({
  store,
  registry,
  client,
  audit,
  now = Date.now,
}: ToolBrokerDependencies): ToolBroker {
  const find = async (ref: string): Promise<(OutsideTool & { readonly approved: object }) | null> => {
    const [, server, name] = /^([^/]{1,32})\/([^/]{1,128})$/.exec(ref) ?? []
    const record = server && name ? await store.outsideTools.find(server, name) : null
    const tool = record && outsideTool(record)
    return tool && isCallable(tool) ? tool : null
  }
  const lookAgain = async ({ server }: OutsideTool, signal: AbortSignal) => {
    const seenAt = (await store.outsideTools.server(server))?.seenAt ?? 0
    // A clock that is set back must not keep a descriptor fresh for ever.
    if (Math.abs(now() - seenAt) > FRESH_MS) await registry.refresh(server, signal)
  }

  return {
    async search(query, limit) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean)
      const approved = (await store.outsideTools.list()).map(outsideTool).filter(isCallable).map(brokered)
      const found = approved.filter(({ tool, descriptor }) => {
        const text = `${tool} ${descriptor.description}`.toLowerCase()
        return words.every((word) => text.includes(word))
      })
      const isNamed = ({ tool }: BrokeredTool) => words.some((word) => tool.toLowerCase().includes(word))
      const sorted = [...found.filter(isNamed), ...found.filter((tool) => !isNamed(tool))]
      return { tools: sorted.slice(0, limit), hasMore: sorted.length > limit }
    },
    async describe(ref) {
      const tool = await find(ref)
      if (!tool) throw notFound(ref)
      return brokered(tool)
    },
    async call(ref, args, signal) {
      const subject = ref.slice(0, 200)
      const tool = await find(ref)
      if (!tool) {
        await audit.record('tool.refuse', subject, { because: 'not_approved' })
        throw notFound(ref)
      }
      const { argumentsHash, characters } = measure(args)
      // Record first: a call that cannot be recorded must not happen.
      await audit.record('tool.call', subject, { argumentsHash, characters, hash: tool.hash })
      let outcome = 'failed'
      try {
        await lookAgain(tool, signal)
        const now = await find(ref)
        outcome = 'changed'
        if (now?.hash !== tool.hash) throw notFound(ref)
        outcome = 'failed'
        const endpoint = (await store.outsideTools.server(tool.server))?.endpoint
        if (endpoint === undefined) throw notFound(ref)
        const words = readToolAnswer(await client.callTool(endpoint, tool.descriptor.name, args, signal))
        outcome = words.isError ? 'refused by the tool' : 'answered'
        return words
      } finally {
        await audit.record('tool.answer', subject, { argumentsHash, outcome: signal.aborted ? 'cancelled' : outcome })
      }
    },
  }
}

function isCallable(
  tool: OutsideTool,
): tool is OutsideTool & { readonly approved: NonNullable<OutsideTool['approved']> } {
  return tool.state === 'approved' && tool.approved?.hash === tool.hash
}

function brokered({ server, approved, descriptor }: OutsideTool): BrokeredTool {
  // The text as the approver saw it.
  const seen = visibleText(JSON.stringify(approved?.descriptor ?? descriptor))
  return { tool: `${server}/${descriptor.name}`, descriptor: JSON.parse(seen) as ToolDescriptor }
}

function measure(args: Readonly<Record<string, unknown>>) {
  const text = canonicalJson(args)
  return { argumentsHash: createHash('sha256').update(text).digest('hex'), characters: text.length }
}

/** The same message for a tool that never existed, waits for approval or is suspended. */
function notFound(ref: string): ClawbooError {
  return new ClawbooError(
    'tool_not_found',
    `there is no tool "${ref.slice(0, 200)}"; search_tools lists the available ones`,
  )
}
