import { type TestRecords, useRecords } from '../../executor/test-records.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import type { TestDatabase } from '../../store/test-stores.ts'
import { createRoomPosts, type RoomPosts, type SpeakingRun } from './room-posts.ts'

/** A team with two agents and a person, seen by one or more servers. */
export interface TestRoom {
  readonly records: TestRecords
  readonly posts: RoomPosts
  /** The records and posts of each server, including the first. */
  readonly servers: readonly { readonly records: TestRecords; readonly posts: RoomPosts }[]
  readonly teamId: string
  readonly roomId: `team:${string}`
  readonly ada: SpeakingRun
  readonly bob: SpeakingRun
  readonly personId: string
}

let teams = 0

/** Returns a function that creates a team for one test. All tests of a file share a database. */
export function useRooms(createDatabase: () => Promise<TestDatabase>, servers = 1): () => Promise<TestRoom> {
  const opened = useRecords(createDatabase, servers)
  return async () => {
    const [records] = opened()
    const { store } = records!
    const teamId = `team-${++teams}`
    await store.teams.insert({ id: teamId, name: teamId, createdAt: 1 })
    const [adaId, bobId, personId] = [`ada-${teams}`, `bob-${teams}`, `eve-${teams}`]
    await store.agents.insert(newAgent(adaId, { teamId, name: 'Ada' }))
    await store.agents.insert(newAgent(bobId, { teamId, name: 'Bob' }))
    await store.agents.insert(newAgent(personId, { teamId, name: 'Eve', participantKind: 'human' }))
    const run = (agentId: string): SpeakingRun => ({
      teamId,
      agentId,
      runId: `run-${agentId}`,
      taskId: null,
      credential: 'attached',
    })
    const all = opened().map((one) => ({ records: one, posts: createRoomPosts(one) }))
    return {
      records: records!,
      posts: all[0]!.posts,
      servers: all,
      teamId,
      roomId: `team:${teamId}`,
      ada: run(adaId),
      bob: run(bobId),
      personId,
    }
  }
}
