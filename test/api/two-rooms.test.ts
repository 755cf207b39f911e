import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptPrompt } from '@clawboo/scripted-model'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestEngine, testEngines } from '../../packages/server/src/store/test-stores.ts'
import { removeHome, type ServerProcess, startServer, temporaryHome } from '../server-process.ts'
import { type FeedReader, followFeed } from './feed-reader.ts'

const ROOMS = 2
const MESSAGES_EACH = 3

describe.each(testEngines())('Two servers with rooms in one $engine database', (engine) => {
  let model: ScriptedModel
  let servers: readonly ServerProcess[]
  let dispose = async () => {}
  beforeAll(async () => {
    model = await startScriptedModel({ keepRequests: 10_000 })
    const opened = await startBoth(engine)
    servers = opened.servers
    dispose = opened.dispose
    const models = Array.from({ length: ROOMS }, (_, at) => ({ id: `room-${at}` }))
    const body = { label: 'Scripted', baseUrl: `${model.url}/v1`, models }
    await servers[0]!.client.saveProvider({ params: { providerId: 'scripted' }, body })
  }, 180_000)
  afterAll(async () => {
    await dispose()
    await model.close()
  })

  test('[TC142] with concurrent requests, one agent at a time speaks in a room, and both feeds have every post once, in order', {
    timeout: 180_000,
  }, async () => {
    const rooms = await makeRooms(servers[0]!)
    const readers = await Promise.all(servers.map((server) => followFeed(server)))
    for (const reader of readers) await reader.waitFor(({ event }) => event === 'feed-ready')
    const asked = servers.flatMap((server, at) =>
      rooms.flatMap(({ teamId, members }) =>
        Array.from({ length: MESSAGES_EACH }, (_, n) => {
          const ask = { callTool: 'team_chat_post', with: { body: `Your turn, ${at} ${n}`, to: [members[1]] } }
          const script = [[ask], [{ wait: 15 }, { say: `Words ${at} ${n}.` }]]
          const body = scriptPrompt(script, `Message ${n} at server ${at}`)
          return server.client.startExchange({ body: { teamId, body, to: [members[0]!] } })
        }),
      ),
    )
    const exchanges = await Promise.all(asked)
    for (const { exchange } of exchanges) await untilEnded(servers[1]!, exchange.id)
    for (const { teamId, members } of rooms) {
      const [here, there] = await Promise.all(servers.map((server) => wholeRoom(server, teamId)))
      expect(here).toEqual(there)
      expect(here!.map(({ seq }) => seq)).toEqual(here!.map((_, at) => at + 1))
      expect(here!.filter(({ kind }) => kind === 'user').length).toBe(servers.length * MESSAGES_EACH)
      for (const id of members) expect(here!.some(({ author }) => 'id' in author && author.id === id)).toBe(true)
      for (const reader of readers) {
        await reader.waitFor((frame) => postIn(frame, teamId)?.seq === here!.length)
        expect(postsTold(reader, teamId)).toEqual(here!.map(({ seq, id, body }) => ({ seq, id, body })))
      }
    }
    expect(overlaps(model)).toEqual([])
    const servedBy = await Promise.all(servers.map(runsOf))
    expect(servedBy.map((runs) => runs.length)).toEqual([servedBy[0]!.length, servedBy[0]!.length])
    expect(runsAtOnce(servedBy[0]!)).toEqual([])
    for (const reader of readers) reader.close()
  })
})

/** On SQLite the second server reaches the file through a link in its own home folder. */
async function startBoth({ engine, createDatabase }: TestEngine) {
  const database = await createDatabase()
  const homes = [await temporaryHome(), await temporaryHome()]
  const databaseUrl = database.options.databaseUrl ?? null
  if (engine === 'sqlite') await symlink(join(homes[0]!, 'clawboo.sqlite'), join(homes[1]!, 'clawboo.sqlite'))
  const servers: ServerProcess[] = []
  for (const home of homes) servers.push(await startServer({ home, databaseUrl, env: { CLAWBOO_LOG: 'error' } }))
  return {
    servers,
    async dispose() {
      for (const server of servers) await server.stop()
      for (const home of homes) await removeHome(home)
      await database.dispose()
    },
  }
}

interface Room {
  readonly teamId: string
  readonly members: readonly string[]
}

async function makeRooms({ client }: ServerProcess): Promise<readonly Room[]> {
  const rooms: Room[] = []
  for (let at = 0; at < ROOMS; at++) {
    const members: string[] = []
    for (const name of ['Ada', 'Bob']) {
      const execConfig = { model: `scripted/room-${at}`, bootstrap: { skip: true } }
      members.push((await client.createAgent({ body: { name: `${name} ${at}`, execConfig } })).id)
    }
    const { team } = await client.createTeam({ body: { name: `Room ${at}`, memberIds: members } })
    // Two turns: one by the mentioned agent, one by the agent that it wakes.
    await client.changeRoomSettings({ body: { teamId: team.id, turnCap: 2 } })
    rooms.push({ teamId: team.id, members })
  }
  return rooms
}

async function untilEnded({ client }: ServerProcess, exchangeId: string): Promise<void> {
  while ((await client.getExchange({ params: { exchangeId } })).status !== 'ended')
    await new Promise((resolve) => setTimeout(resolve, 50))
}

async function wholeRoom({ client }: ServerProcess, teamId: string) {
  return (await client.readRoom({ query: { teamId, sinceSeq: '0', limit: '200' } as never })).posts
}

type Told = { readonly seq: number; readonly id: string; readonly body: string; readonly teamId: string }

function postIn({ event, data }: FeedReader['frames'][number], teamId: string): Told | null {
  const post = event === 'team-chat-posted' ? (data.post as Told) : null
  return post?.teamId === teamId ? post : null
}

function postsTold({ frames }: FeedReader, teamId: string) {
  return frames.flatMap((frame) => {
    const post = postIn(frame, teamId)
    return post ? [{ seq: post.seq, id: post.id, body: post.body }] : []
  })
}

/** Calls of a room's model that overlapped with another one. */
function overlaps({ requests }: ScriptedModel): string[] {
  const calls = requests.filter(({ method }) => method === 'POST')
  expect(calls.length).toBeGreaterThan(ROOMS * 2 * MESSAGES_EACH)
  return calls.flatMap((one, at) =>
    calls
      .slice(at + 1)
      .filter(
        (other) => modelOf(other) === modelOf(one) && other.receivedAt < (one.endedAt ?? Number.POSITIVE_INFINITY),
      )
      .map((other) => `${modelOf(one)}: ${one.receivedAt}-${one.endedAt} and ${other.receivedAt}`),
  )
}

function modelOf({ body }: ScriptedModel['requests'][number]): string {
  return (body as { model: string }).model
}

async function runsOf({ client }: ServerProcess) {
  return (await client.listRuns({ query: { limit: 200 } as never })).runs.filter(({ trigger }) => trigger === 'room')
}

function runsAtOnce(runs: Awaited<ReturnType<typeof runsOf>>): string[] {
  return runs.flatMap((one) =>
    runs
      .filter((other) => other.teamId === one.teamId && other.id !== one.id)
      .filter((other) => one.startedAt < other.startedAt && (one.endedAt ?? Number.POSITIVE_INFINITY) > other.startedAt)
      .map((other) => `${one.id} and ${other.id}`),
  )
}
