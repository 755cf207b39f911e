import type { ToolBlock } from '../../live/run-block.ts'

const SHORT = 120

/** One line for a tool call: its own summary, or the tool and what it was given. */
export function toolWords({ tool, summary, input }: Pick<ToolBlock, 'tool' | 'summary' | 'input'>): string {
  if (summary) return oneLine(summary)
  const given = shortInput(input)
  return given === '' ? tool : `${tool} ${given}`
}

/** The value a person recognises a call by, or all of it in short. */
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

/** The file that a call wrote, from the agent's folder on; null when it wrote none or cannot be told. */
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

/** A field a line, so that a person can read it; texts of several lines stand as they are. */
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
