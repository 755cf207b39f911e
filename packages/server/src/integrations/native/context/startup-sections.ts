import { headOf } from './cut-text.ts'

const STARTUP_SECTIONS: readonly string[] = ['Session Startup', 'Red Lines']

const MAX_CHARS = 3000

/**
 * The reminder to an agent after a compaction: the named sections of its AGENTS.md, in the order of the file.
 * null = the file has none of these sections.
 */
export function startupReminder(agentsFile: string, names: readonly string[] = STARTUP_SECTIONS): string | null {
  const sections = sectionsOf(agentsFile, names)
  if (sections.length === 0) return null
  const text = sections.join('\n\n')
  const shown = text.length <= MAX_CHARS ? text : `${headOf(text, MAX_CHARS)}\n[…read AGENTS.md for the rest]`
  return `[After compaction] The conversation was just summarised. These parts of AGENTS.md still apply:\n\n${shown}`
}

function sectionsOf(text: string, names: readonly string[]): string[] {
  const wanted = new Set(names.map((name) => name.trim().toLowerCase()))
  const sections: string[][] = []
  let current: { readonly level: number; readonly lines: string[] } | null = null
  let fence: string | null = null
  for (const line of text.split(/\r?\n/)) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (marker !== undefined) {
      if (fence === null) fence = marker
      else if (marker.startsWith(fence)) fence = null
    }
    const heading = fence === null ? /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) : null
    if (heading) {
      const level = heading[1]!.length
      if (current === null || level <= current.level) {
        current = wanted.has(heading[2]!.toLowerCase()) ? { level, lines: [] } : null
        if (current) sections.push(current.lines)
      }
    }
    current?.lines.push(line)
  }
  return sections.map((lines) => lines.join('\n').trim())
}
