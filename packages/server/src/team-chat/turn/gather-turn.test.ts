import { describe, expect, it } from 'vitest'
import { useRecords } from '../../executor/test-records.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { makeRoomTeam, openRooms, speakingRuntime } from '../exchange/test-exchanges.ts'

const OPERATOR = { kind: 'operator' } as const

describe('The content of a turn’s prompt', () => {
  const records = useRecords(createSqliteDatabase)

  it('[TC104] a prompt has the newest posts that fit and the number left out; the cursor moves past all of them', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const runtime = speakingRuntime(({ count }) => `Turn ${count}.`)
    const server = await openRooms(records()[0]!, { runtime })
    for (let n = 1; n <= 260; n++) await server.posts.byServer(team.teamId, { body: `Line ${n} ${'x'.repeat(300)}` })
    await team.ask(server, 'Go')
    const { prompt } = runtime.turns[0]!
    const shown = [...prompt.matchAll(/seq=(\d+)/g)].map(([, seq]) => Number(seq))
    expect(prompt.length).toBeLessThan(30_000)
    expect(shown.at(-1)).toBe(260)
    expect(shown).toEqual(shown.map((_, at) => 261 - shown.length + at))
    expect(prompt).toContain(`${260 - shown.length} older ones are left out`)
    expect(await records()[0]!.store.roomMembers.get(team.roomId, team.id(0))).toMatchObject({ cursorSeq: 261 })
  })

  it('[TC104] the newest post is in the prompt in full, even if it is longer than the limit', async () => {
    const team = await makeRoomTeam(records()[0]!, 1)
    const runtime = speakingRuntime(() => 'Read.')
    const server = await openRooms(records()[0]!, { runtime })
    await server.posts.byPerson(OPERATOR, team.teamId, { body: 'Older' })
    await server.posts.byPerson(OPERATOR, team.teamId, { body: 'y'.repeat(32_000) })
    await team.ask(server, 'Go')
    expect(runtime.turns[0]!.prompt).toContain('y'.repeat(32_000))
    expect(runtime.turns[0]!.prompt).toContain('1 older ones are left out')
  })
})
