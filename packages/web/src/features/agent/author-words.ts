import type { Agent } from '../../api/fleet.ts'

/** Who wrote a revision, by name. */
export function authorWords(author: string | null, agents: readonly Agent[]): string {
  if (author === null) return 'nobody'
  if (author === 'operator') return 'you'
  if (author === 'workspace') return 'a change on disk'
  const id = author.replace(/^agent:/, '')
  return agents.find((agent) => agent.id === id)?.displayName ?? author
}
