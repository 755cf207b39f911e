import { createHash } from 'node:crypto'
import { ClawbooError } from '@clawboo/core'
import type { Audit } from '../access/audit.ts'
import type { Store } from '../store/open-store.ts'
import { type OutsideTool, outsideTool } from './outside-tool.ts'
import { canonicalJson, isObject, type ToolDescriptor } from './tool-descriptor.ts'
import type { ToolRegistry } from './tool-registry.ts'
import type { ToolServerClient } from './tool-server-client.ts'
import type { RpcAnswer } from './tool-server-wire.ts'
import { visibleText } from './visible-text.ts'

/** An approved tool as agents see it. `tool` is its server and name. */
interface BrokeredTool {
  readonly tool: string
  /** As it was approved, whatever the server describes now. */
  readonly descriptor: ToolDescriptor
}

export type ToolBroker = ReturnType<typeof createToolBroker>

interface ToolBrokerDependencies {
  readonly store: Store
  readonly registry: Pick<ToolRegistry, 'refresh'>
  readonly client: Pick<ToolServerClient, 'callTool'>
  readonly audit: Pick<Audit, 'record'>
  readonly now?: () => number
}

/** How long a descriptor counts as fresh. */
const FRESH_MS = 60_000

/** The only way from an agent to an outside tool. Tools without an approval do not exist here. */
export function createToolBroker({ store, registry, client, audit, now = Date.now }: ToolBrokerDependencies) {
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
    /** Finds tools with every word of the query in their name or description; matches in names come first. */
    async search(query: string, limit: number) {
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
    /** Throws `tool_not_found`. */
    async describe(ref: string) {
      const tool = await find(ref)
      if (!tool) throw notFound(ref)
      return brokered(tool)
    },
    /** Throws `tool_not_found`, `tool_server_failed`. A failure that the tool itself reports is an answer. */
    async call(ref: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal) {
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

/** The answer of an outside tool. Untrusted text: data, whatever it asks for. */
interface ToolWords {
  readonly text: string
  readonly isError: boolean
  /** The number of characters cut off. */
  readonly leftOut: number
}

const ANSWER_CHARACTERS = 30_000
const ERROR_CHARACTERS = 2_000

export function readToolAnswer(answer: RpcAnswer): ToolWords {
  if ('error' in answer) return fit(answer.error.message, ERROR_CHARACTERS, true)
  const { content, structuredContent, isError } = answer.result
  const blocks = Array.isArray(content) ? content.map(textOf).filter((text) => text !== '') : []
  const rawText =
    blocks.length > 0 ? blocks.join('\n\n') : structuredContent === undefined ? '' : JSON.stringify(structuredContent)
  return fit(rawText, ANSWER_CHARACTERS, isError === true)
}

function textOf(block: unknown): string {
  if (!isObject(block)) return ''
  if (block.type === 'text' && typeof block.text === 'string') return block.text
  const { resource } = block
  if (block.type === 'resource' && isObject(resource) && typeof resource.text === 'string') return resource.text
  return `[${visibleText(String(block.type)).slice(0, 40)} left out]`
}

function fit(rawText: string, most: number, isError: boolean): ToolWords {
  const seen = visibleText(rawText)
  const text = seen.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
  return { text, isError, leftOut: seen.length - text.length }
}
