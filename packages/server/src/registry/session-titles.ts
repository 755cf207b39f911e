import { type AgentRecord, conversationKind, type SessionRecord } from '@clawboo/core/registry'
import { teamIdOf } from '@clawboo/core/team-chat'
import type { Repositories } from '../store/repositories.ts'

/** Names an agent's conversations for people, instead of by their keys. */
export async function withTitles(
  { tasks, teams }: Pick<Repositories, 'tasks' | 'teams'>,
  agent: AgentRecord,
  sessions: readonly SessionRecord[],
): Promise<SessionRecord[]> {
  const main = agent.sessionKey ?? `agent:${agent.id}:main`
  const of = sessions.map(({ sourceSessionId: key }) => {
    if (key === main) return { kind: 'person', rest: 'main' } as const
    const kind = conversationKind(agent.id, key)
    const prefix = `agent:${agent.id}:${kind === 'person' ? '' : `${kind}:`}`
    return { kind, rest: key.startsWith(prefix) ? key.slice(prefix.length) : key }
  })
  const taskIds = of.filter(({ kind }) => kind === 'task').map(({ rest }) => rest)
  const titles = new Map((await tasks.getMany(taskIds)).map(({ id, title }) => [id, title]))
  const named = new Map<string, string>()
  for (const { kind, rest } of of) {
    const teamId = kind === 'room' ? teamIdOf(rest) : null
    const team = teamId === null ? null : await teams.get(teamId)
    if (team) named.set(rest, team.name)
  }
  return sessions.map((session, at) => {
    const { kind, rest } = of[at]!
    return { ...session, title: titleOf(kind, rest, kind === 'task' ? titles.get(rest) : named.get(rest)) }
  })
}

function titleOf(kind: ReturnType<typeof conversationKind>, rest: string, name: string | undefined): string {
  if (kind === 'room') return name === undefined ? 'Deleted room' : `Room of ${name}`
  if (kind === 'task') return name === undefined ? 'Deleted task' : `Task: ${name}`
  return rest === 'main' ? 'Conversation' : rest
}
