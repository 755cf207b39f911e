import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ProviderOptions, TextContent, ThinkingContent, ToolCallContent } from '../../session/message.ts'
import type { AssistantContent, ModelEvent } from '../model-request.ts'

interface OpenBlock {
  readonly type: 'text' | 'thinking'
  text: string
  meta: Record<string, Record<string, unknown>> | undefined
}

/** Collects the stream parts of one answer as message content. */
export class AnswerParts {
  readonly badArguments: Record<string, string> = {}
  readonly #blocks: (OpenBlock | ToolCallContent)[] = []
  readonly #open = new Map<string, OpenBlock>()
  readonly #calls: CallNames

  constructor(takenIds: ReadonlySet<string>) {
    this.#calls = createCallNames(takenIds)
  }

  /** Adds a part. Returns the event for the reader, or null. */
  take(part: LanguageModelV4StreamPart): ModelEvent | null {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#takeBlock(part)
      case 'tool-input-start':
        this.#calls.idOf(part.id, part.toolName)
        return null
      case 'tool-input-delta': {
        const callId = this.#calls.idOf(part.id, '')
        return { type: 'toolArgs', callId, toolName: this.#calls.nameOf(part.id), delta: part.delta }
      }
      case 'tool-call':
        this.#takeCall(part)
        return null
      default:
        return null
    }
  }

  get hasCall(): boolean {
    return this.#blocks.some((block) => block.type === 'toolCall')
  }

  /** In order of arrival, because a vendor's signatures are valid only in that order. */
  content(): AssistantContent {
    return this.#blocks.flatMap((block): AssistantContent[number][] =>
      block.type === 'toolCall' ? [block] : closed(block),
    )
  }

  /** The content without tool calls. */
  withoutCalls(): AssistantContent {
    return this.content().filter((part) => part.type !== 'toolCall')
  }

  /** Drops tool calls with incomplete arguments. */
  dropBadCalls(): void {
    const whole = this.#blocks.filter((block) => block.type !== 'toolCall' || !(block.id in this.badArguments))
    this.#blocks.splice(0, this.#blocks.length, ...whole)
    for (const id of Object.keys(this.badArguments)) delete this.badArguments[id]
  }

  #takeBlock(part: BlockPart): ModelEvent | null {
    const type = part.type.startsWith('text') ? 'text' : 'thinking'
    const key = `${type} ${part.id}`
    let block = this.#open.get(key)
    if (block === undefined) {
      block = { type, text: '', meta: undefined }
      this.#open.set(key, block)
      this.#blocks.push(block)
    }
    const delta = 'delta' in part ? part.delta : ''
    block.text += delta
    // A vendor's metadata can arrive at the start of a block, with a delta or at its end.
    if (part.providerMetadata !== undefined) block.meta = joinMeta(block.meta, part.providerMetadata)
    if (part.type === 'text-end' || part.type === 'reasoning-end') this.#open.delete(key)
    return delta === '' ? null : { type, delta }
  }

  #takeCall(part: LanguageModelV4ToolCall): void {
    const id = this.#calls.idOf(part.toolCallId, part.toolName)
    const input = parseArguments(part.input)
    if (input === null) this.badArguments[id] = part.input
    const meta =
      part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata as ProviderOptions }
    this.#blocks.push({ type: 'toolCall', id, name: part.toolName, arguments: input ?? {}, ...meta })
  }
}

type BlockPart = Extract<
  LanguageModelV4StreamPart,
  { type: 'text-start' | 'text-delta' | 'text-end' | 'reasoning-start' | 'reasoning-delta' | 'reasoning-end' }
>

type CallNames = ReturnType<typeof createCallNames>

/** Uses the vendor's call ids unless the conversation already contains the same id. */
function createCallNames(takenIds: ReadonlySet<string>) {
  const assigned = new Map<string, { readonly id: string; readonly name: string }>()
  const used = new Set<string>()
  return {
    idOf(vendorId: string, name: string): string {
      const known = assigned.get(vendorId)
      if (known !== undefined) return known.id
      let id = vendorId
      for (let again = 2; takenIds.has(id) || used.has(id); again++) id = `${vendorId}_${again}`
      used.add(id)
      assigned.set(vendorId, { id, name })
      return id
    },
    nameOf: (vendorId: string) => assigned.get(vendorId)?.name ?? '',
  }
}

function closed({ type, text, meta }: OpenBlock): (TextContent | ThinkingContent)[] {
  const options = meta === undefined ? {} : { providerOptions: meta }
  if (type === 'text') return text === '' ? [] : [{ type, text, ...options }]
  return text === '' && meta === undefined ? [] : [{ type, thinking: text, ...options }]
}

function joinMeta(known: OpenBlock['meta'], more: SharedV4ProviderMetadata): OpenBlock['meta'] {
  const joined = { ...known }
  for (const [provider, fields] of Object.entries(more)) joined[provider] = { ...joined[provider], ...fields }
  return joined
}

/** null = not a JSON object. Some servers send an empty text for a call without arguments. */
function parseArguments(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
