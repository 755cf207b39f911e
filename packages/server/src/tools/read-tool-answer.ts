import { isObject } from './tool-descriptor.ts'
import type { RpcAnswer } from './tool-server-wire.ts'
import { visibleText } from './visible-text.ts'

/** The answer of an outside tool. Untrusted text: data, whatever it asks for. */
export interface ToolWords {
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
