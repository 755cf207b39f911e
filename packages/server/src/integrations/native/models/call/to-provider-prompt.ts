import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type {
  AssistantMessage,
  ImageContent,
  Message,
  ProviderOptions,
  ToolResultMessage,
  UserMessage,
} from '../../session/message.ts'
import type { ModelRequest } from '../model-request.ts'
import type { ProviderRow } from '../providers/provider-list.ts'
import { type CallIds, createCallIds, isToolName, safeToolName } from './tool-call-id.ts'

export type ProviderPrompt =
  | {
      readonly ok: true
      readonly prompt: LanguageModelV4Prompt
      readonly tools: LanguageModelV4FunctionTool[]
      readonly providerOptions: SharedV4ProviderOptions
      /** The stored ids of the tool calls in the prompt. */
      readonly callIds: ReadonlySet<string>
      readonly hasThinking: boolean
    }
  /** Our own request is invalid, and every vendor would refuse it. */
  | { readonly ok: false; readonly problem: string }

const EMPTY_PROMPT = '(continue)'
const NO_OUTPUT = '(no output)'
const IMAGE_FOLLOWS = '(the image follows in the next message)'
const IMAGE_LEFT_OUT = '(an image was left out: this model does not accept images)'

/**
 * Converts our messages for the protocol packages, once per call and without copying texts. The packages neither check nor
 * repair a request, so this is the last chance to prevent a refusal.
 */
export function toProviderPrompt(request: ModelRequest, target: PromptTarget): ProviderPrompt {
  const tools = toolDeclarations(request.tools)
  if (typeof tools === 'string') return { ok: false, problem: tools }
  const builder = new PromptBuilder(request, target)
  for (const message of request.messages) {
    const problem = builder.add(message)
    if (problem !== null) return { ok: false, problem }
  }
  const built = builder.finish()
  if (typeof built === 'string') return { ok: false, problem: built }
  if (target.row.wire === 'anthropic') markForCache(built.prompt, tools)
  const providerOptions = callOptions(request, target.row.wire)
  return { ok: true, tools, providerOptions, ...built }
}

function toolDeclarations(tools: ModelRequest['tools']): LanguageModelV4FunctionTool[] | string {
  const names = new Set<string>()
  for (const tool of tools) {
    if (!isToolName(tool.name)) return `the tool name "${tool.name.slice(0, 80)}" is not allowed`
    if (names.has(tool.name)) return `two tools have the name "${tool.name}"`
    names.add(tool.name)
  }
  return tools.map(({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }))
}

class PromptBuilder {
  readonly #prompt: LanguageModelV4Prompt
  readonly #target: PromptTarget
  readonly #reader: HistoryReader
  readonly #callIds = new Set<string>()
  /** Stored ids of calls without a result so far. */
  readonly #open = new Set<string>()
  readonly #lastFromPerson: number
  #position = -1
  /** Images of tool results that need a message of their own. */
  #images: LanguageModelV4FilePart[] = []

  constructor(request: ModelRequest, target: PromptTarget) {
    this.#prompt = systemMessages(request.system, target.row.wire)
    this.#target = target
    this.#reader = { ids: createCallIds(target.row), target, isAfterLastPrompt: false, hasThinking: false }
    this.#lastFromPerson = request.messages.findLastIndex((message) => message.role === 'user')
  }

  /** Returns a problem, or null. */
  add(message: Message): string | null {
    this.#reader.isAfterLastPrompt = ++this.#position > this.#lastFromPerson
    if (message.role === 'toolResult') {
      if (!this.#open.delete(message.toolCallId)) return `a result has no open call (${message.toolCallId})`
      this.#addResult(message)
      return null
    }
    if (this.#open.size > 0) return this.#unanswered()
    this.#flushImages()
    if (message.role === 'user')
      this.#prompt.push({ role: 'user', content: userParts(message, this.#target.takesImages) })
    else this.#addAssistant(message)
    return null
  }

  finish() {
    if (this.#open.size > 0) return this.#unanswered()
    this.#flushImages()
    const last = this.#prompt.at(-1)?.role
    if (last !== 'user' && last !== 'tool') return 'the last message is not from a person or a tool'
    return { prompt: this.#prompt, callIds: this.#callIds, hasThinking: this.#reader.hasThinking }
  }

  #addAssistant(message: AssistantMessage): void {
    const parts: AssistantPart[] = assistantParts(message, this.#reader)
    for (const part of message.content)
      if (part.type === 'toolCall') {
        this.#open.add(part.id)
        this.#callIds.add(part.id)
      }
    if (parts.length === 0) return
    const before = this.#prompt.at(-1)?.role
    if (before === undefined || before === 'system')
      this.#prompt.push({ role: 'user', content: [textPart(EMPTY_PROMPT)] })
    this.#prompt.push({ role: 'assistant', content: parts })
  }

  #addResult(message: ToolResultMessage): void {
    const id = this.#reader.ids.ofResult(message.toolCallId)!
    const { part, loose } = toolResult(message, id, this.#target)
    this.#images.push(...loose)
    const last = this.#prompt.at(-1)
    // All results of one answer go into one message, because Gemini counts them there.
    if (last?.role === 'tool') last.content.push(part)
    else this.#prompt.push({ role: 'tool', content: [part] })
  }

  #flushImages(): void {
    if (this.#images.length > 0) this.#prompt.push({ role: 'user', content: this.#images })
    this.#images = []
  }

  #unanswered(): string {
    return `a call has no result (${[...this.#open].join(', ')})`
  }
}

function systemMessages(
  { text, cacheBoundary }: ModelRequest['system'],
  wire: ProviderRow['wire'],
): LanguageModelV4Prompt {
  if (text.trim() === '') return []
  // Only Anthropic benefits from two system messages; some local chat templates refuse a second one.
  if (wire !== 'anthropic' || cacheBoundary <= 0 || cacheBoundary >= text.length)
    return [{ role: 'system', content: text }]
  return [text.slice(0, cacheBoundary), text.slice(cacheBoundary)]
    .filter((part) => part.trim() !== '')
    .map((content): LanguageModelV4Message => ({ role: 'system', content }))
}

function userParts(message: UserMessage, takesImages: boolean): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const parts: (LanguageModelV4TextPart | LanguageModelV4FilePart)[] = []
  for (const part of message.content) {
    if (part.type === 'image') parts.push(takesImages ? filePart(part) : textPart(IMAGE_LEFT_OUT))
    else if (part.text.trim() !== '') parts.push(textPart(part.text))
  }
  return parts.length > 0 ? parts : [textPart(EMPTY_PROMPT)]
}

/** The Chat protocol does not support images in tool results; its packages would send them as text. */
const carriesImages = (wire: ProviderRow['wire']) => wire !== 'openai-compatible' && wire !== 'openai-chat'

function toolResult(message: ToolResultMessage, toolCallId: string, { row, takesImages }: PromptTarget) {
  const images = message.content.filter((part) => part.type === 'image')
  const texts = message.content.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []))
  const inside = carriesImages(row.wire) && takesImages && !message.isError
  if (images.length > 0 && !inside) texts.push(takesImages ? IMAGE_FOLLOWS : IMAGE_LEFT_OUT)
  // Older Gemini models count one response per text part, so send exactly one.
  const text = texts.length > 0 ? texts.join('\n') : NO_OUTPUT
  const part: LanguageModelV4ToolResultPart = {
    type: 'tool-result',
    toolCallId,
    toolName: safeToolName(message.toolName),
    output:
      images.length > 0 && inside
        ? { type: 'content', value: [{ type: 'text', text }, ...images.map(filePart)] }
        : { type: message.isError ? 'error-text' : 'text', value: text },
  }
  return { part, loose: inside || !takesImages ? [] : images.map(filePart) }
}

const textPart = (text: string): LanguageModelV4TextPart => ({ type: 'text', text })

const filePart = ({ mimeType, data }: ImageContent) =>
  ({ type: 'file', mediaType: mimeType, data: { type: 'data', data } }) satisfies LanguageModelV4FilePart

const CACHE_MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/** Anthropic allows four marks and drops the newest beyond that: last tool, first system part, last two inputs. */
function markForCache(prompt: LanguageModelV4Prompt, tools: LanguageModelV4FunctionTool[]): void {
  const lastTool = tools.at(-1)
  if (lastTool !== undefined) lastTool.providerOptions = CACHE_MARK
  if (prompt[0]?.role === 'system') prompt[0].providerOptions = CACHE_MARK
  let left = 2
  for (let at = prompt.length - 1; at >= 0 && left > 0; at--) {
    const message = prompt[at]!
    if (message.role !== 'user' && message.role !== 'tool') continue
    message.providerOptions = CACHE_MARK
    left--
  }
}

function callOptions(request: ModelRequest, wire: ProviderRow['wire']): SharedV4ProviderOptions {
  const cacheKey = request.cacheKey === undefined ? {} : { promptCacheKey: request.cacheKey.slice(0, 64) }
  // With stored answers the package would send references, and our edits and omissions in the history would be ignored.
  // A summary of the reasoning requires an account that OpenAI has verified.
  if (wire === 'openai-responses') return { openai: { store: false, reasoningSummary: null, ...cacheKey } }
  return wire === 'openai-chat' ? { openai: cacheKey } : {}
}

/** The provider and the model that a prompt is converted for. */
export interface PromptTarget {
  readonly row: Pick<ProviderRow, 'id' | 'wire' | 'baseUrl'>
  readonly model: string
  readonly takesImages: boolean
  /** Leaves out all thinking, for a provider that refuses its own earlier thinking. */
  readonly dropThinking?: boolean
}

type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

/** State that is kept while a history is converted. */
interface HistoryReader {
  readonly ids: CallIds
  readonly target: PromptTarget
  /** Whether the current message came after the last message of a person. */
  isAfterLastPrompt: boolean
  hasThinking: boolean
}

/**
 * Converts an earlier answer for the model that is called now. Thinking, signatures and item ids go back only to the model
 * that produced them, and only from a completed answer, because vendors refuse others.
 */
function assistantParts(message: AssistantMessage, reader: HistoryReader): AssistantPart[] {
  const { ids, target } = reader
  const isOwn =
    message.provider === target.row.id &&
    message.model === target.model &&
    message.stopReason !== 'error' &&
    message.stopReason !== 'aborted' &&
    target.dropThinking !== true
  // Servers with the Chat protocol need the thinking since the last prompt, and refuse or waste older thinking.
  const showsThinking = target.row.wire !== 'openai-compatible' || reader.isAfterLastPrompt
  const parts: AssistantPart[] = []
  for (const part of message.content) {
    const options = isOwn ? storedOptions(part.providerOptions) : {}
    if (part.type === 'text') {
      if (part.text !== '') parts.push({ type: 'text', text: part.text, ...options })
    } else if (part.type === 'toolCall') {
      const toolCallId = ids.ofCall(part.id)
      parts.push({
        type: 'tool-call',
        toolCallId,
        toolName: safeToolName(part.name),
        input: part.arguments,
        ...options,
      })
    } else if (isOwn && showsThinking && (part.thinking !== '' || part.providerOptions !== undefined)) {
      parts.push({ type: 'reasoning', text: part.thinking, ...options })
      reader.hasThinking = true
    }
  }
  return parts
}

/** Stored options came from the same package as JSON and go back to it unchanged. */
function storedOptions(options: ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions }
}
