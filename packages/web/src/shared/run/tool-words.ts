import type { ToolBlock } from '../../live/run-block.ts'

const SHORT = 120

/** One line for a tool call: its summary, or the tool and its input. */
export function toolWords({ tool, summary, input }: Pick<ToolBlock, 'tool' | 'summary' | 'input'>): string {
  if (summary) return oneLine(summary)
  const shortened = shortInput(input)
  return shortened === '' ? tool : `${tool} ${shortened}`
}

/** The value that best identifies a call, or the whole input in short. */
function shortInput(input: unknown): string {
  if (typeof input === 'string') return oneLine(input)
  if (typeof input !== 'object' || input === null) return input === undefined || input === null ? '' : String(input)
  const fields = input as Readonly<Record<string, unknown>>
  for (const name of ['command', 'path', 'file', 'url', 'query', 'name']) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return oneLine(value)
  }
  const text = JSON.stringify(input)
  return text === '{}' || text === '[]' ? '' : oneLine(text)
}

/** The file that a call wrote, relative to the agent's workspace; null when there is none or it is unknown. */
export function writtenFile({ tool, input, result }: Pick<ToolBlock, 'tool' | 'input' | 'result'>): string | null {
  if ((tool !== 'write' && tool !== 'edit') || !result || result.isError) return null
  const path = (input as { readonly path?: unknown } | null)?.path
  if (typeof path !== 'string' || path.startsWith('/')) return null
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return parts.length === 0 ? null : parts.join('/')
}

/** One field per line; texts of several lines stay unchanged. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input, null, 2) ?? ''
  return Object.entries(input)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
      return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`
    })
    .join('\n')
}

function oneLine(text: string): string {
  const line = text
    .slice(0, SHORT * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line
}
