import type { Agent } from '../../api/fleet.ts'
import { ago } from '../../ui/words/time-words.ts'

/** The author of a revision by name. */
export function authorWords(author: string | null, agents: readonly Agent[]): string {
  if (author === null) return 'nobody'
  if (author === 'operator') return 'you'
  if (author === 'workspace') return 'a change on disk'
  const id = author.replace(/^agent:/, '')
  return agents.find((agent) => agent.id === id)?.displayName ?? author
}

/** When and by whom a revision was written. */
export function editWords(author: string | null, at: number, agents: readonly Agent[], now: number): string {
  return author === 'workspace' ? `Edited on disk ${ago(at, now)}` : `${ago(at, now)} by ${authorWords(author, agents)}`
}

/** For a revision that was written while a draft was open: "you" alone would mean this page. */
export function otherAuthorWords(author: string | null, agents: readonly Agent[]): string {
  return author === 'operator' ? 'you, on another page,' : authorWords(author, agents)
}

/** "312 B", "4.1 kB", "2.6 MB". */
export function byteWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
