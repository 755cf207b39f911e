import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { violations } from './axe-violations.ts'
import { type SeededRooms, seedRooms } from './long-room.ts'
import { type PageFixture, startPage } from './page-fixture.ts'

const POSTS = 100_000
let fixture: PageFixture
let rooms: SeededRooms

beforeAll(async () => {
  fixture = await startPage({
    seed: async (home) => {
      rooms = await seedRooms(home, POSTS)
    },
  })
})
afterEach(async () => {
  await fixture.closePages()
  // A restarted server returns 503 until its store is open.
  fixture.expectCalm(/Failed to load resource: (net::ERR_|.* status of 503)/)
})
afterAll(() => fixture.close())

const client = () => fixture.server.client
const roomOf = (teamId: string, search = '') => `/teams/${teamId}/room${search}`
const log = (page: Page) => page.getByRole('log')
const post = (page: Page, seq: number) => page.locator(`[data-seq="${seq}"]`)
const drawn = (page: Page) =>
  page.locator('[data-seq]').evaluateAll((nodes) => nodes.map((node) => Number(node.getAttribute('data-seq'))))
const say = async (teamId: string, body: string) => (await client().postToRoom({ body: { teamId, body } })).seq
const robinSays = async (body: string) =>
  (await client().postToRoom({ body: { teamId: rooms.long, body, as: rooms.robin } })).seq
const railLink = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name })

test('[PG231] a room of a hundred thousand posts opens at the newest, with one request and one screen of rows', async () => {
  const page = await fixture.open('/')
  const read: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/team-chat?')) read.push(request.url())
  })
  await railLink(page, /^Archive/).click()
  await post(page, POSTS).waitFor()
  expect(new URL(page.url()).pathname).toBe(roomOf(rooms.long))
  expect(read.length).toBe(1)
  expect((await drawn(page)).length).toBeLessThan(60)
  expect(await page.getByRole('button', { name: 'Jump to newest' }).count()).toBe(0)
})

test('[PG230] the palette opens a room, and the room links to its team', async () => {
  const page = await fixture.open(roomOf(rooms.long))
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  await page.getByRole('link', { name: 'Room', exact: true }).click()
  await log(page).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or do anything' }).fill('room of Launch')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Launch' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(roomOf(rooms.fresh))
})

test('[PG232] older posts load above without a gap and without moving the visible text, and only one screen renders', async () => {
  const page = await fixture.open(roomOf(rooms.long))
  await post(page, POSTS).waitFor()
  const top = async () => (await drawn(page))[0]!
  for (let part = 0; part < 3; part++) {
    const gate = Promise.withResolvers<void>()
    await page.route('**/api/team-chat?*before=*', async (route) => {
      await gate.promise
      await route.continue()
    })
    await log(page).evaluate((area) => area.scrollTo(0, 0))
    await page.getByText('Loading older messages').waitFor()
    // The second post, because the first one may lose its date line to a new first post.
    await expect.poll(async () => (await post(page, (await top()) + 1).boundingBox())!.y).toBeLessThan(300)
    const seq = (await top()) + 1
    const before = (await post(page, seq).boundingBox())!.y
    gate.resolve()
    await expect.poll(top).toBeLessThan(seq - 1)
    expect(Math.abs((await post(page, seq).boundingBox())!.y - before)).toBeLessThan(40)
    await page.unroute('**/api/team-chat?*before=*')
    const seqs = await drawn(page)
    expect(seqs.length).toBeLessThan(80)
    expect(seqs).toEqual(seqs.map((_, at) => seqs[0]! + at))
  }
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await expect.poll(async () => (await drawn(page)).at(-1)).toBe(POSTS)
})

test('[PG242] the address of an old post opens and marks it, and scrolling loads posts in both directions', async () => {
  const page = await fixture.open(roomOf(rooms.long, '?post=5000'))
  await post(page, 5000).waitFor()
  await expect.poll(async () => (await post(page, 5000).boundingBox())!.y).toBeGreaterThan(150)
  expect(await post(page, 5000).getAttribute('class')).toContain('bg-accent-soft!')
  await log(page).hover()
  for (let turn = 0; turn < 6; turn++) {
    await page.mouse.wheel(0, 2_000)
    await expect.poll(async () => (await drawn(page)).at(-1)!).toBeGreaterThan(5_010 + turn * 10)
  }
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await expect.poll(async () => (await drawn(page)).at(-1)).toBe(POSTS)
  await page.goto(`${fixture.server.url}${roomOf(rooms.long, '?post=nonsense')}`)
  await post(page, POSTS).waitFor()
})

test('[PG241] unread posts show a dot in the rail, a line above them and a count on the button to the newest', async () => {
  const page = await fixture.open(roomOf(rooms.long))
  await post(page, POSTS).waitFor()
  const first = await robinSays('You see this come')
  await post(page, first).waitFor()
  expect(await page.getByText('1 new', { exact: true }).count()).toBe(0)
  await railLink(page, /^Archive$/).waitFor()
  await railLink(page, /^Fleet/).click()
  for (const words of ['one', 'two', 'three']) await robinSays(words)
  await railLink(page, /^Archive unread/).waitFor()
  await page.reload()
  await railLink(page, /^Archive unread/).click()
  await page.getByText('3 new', { exact: true }).waitFor()
  await railLink(page, /^Archive$/).waitFor()
  await log(page).evaluate((area) => area.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  const last = await robinSays('four')
  await page.getByRole('button', { name: '1 new post' }).click()
  await post(page, last).waitFor()
  await expect.poll(() => page.getByText('1 new', { exact: true }).count()).toBe(1)
  await railLink(page, /^Archive$/).waitFor()
})

test('[PG234] a lost connection, a restarted server and a reload lose and duplicate no post', async () => {
  const page = await fixture.open(roomOf(rooms.long))
  const before = await say(rooms.long, 'before it all')
  await post(page, before).waitFor()
  await fixture.context.setOffline(true)
  for (let count = 0; count < 3; count++) await say(rooms.long, `unheard ${count}`)
  await fixture.context.setOffline(false)
  await post(page, before + 3).waitFor()
  await fixture.restart()
  const long = await say(rooms.long, `${'A long one. '.repeat(400)}End of it.`)
  const after = await say(rooms.long, 'after it all')
  await post(page, after).waitFor()
  const all = Array.from({ length: after - before + 1 }, (_, at) => before + at)
  const shown = async () => (await drawn(page)).filter((seq) => seq >= before)
  expect(await shown()).toEqual(all)
  await post(page, long)
    .getByRole('button', { name: /^Show all 4,8/ })
    .click()
  await post(page, long).getByText('End of it.').waitFor()
  await page.reload()
  await post(page, after).waitFor()
  await expect.poll(shown).toEqual(all)
})

const TURN: ScriptTurn[] = [
  [{ think: 'A file is wanted.' }, { callTool: 'write', with: { path: 'a.md', content: 'x' } }],
  [{ callTool: 'team_chat_post', with: { body: 'Kit, look at this.' } }],
  // Longer than the part of a post that the feed sends.
  [
    { say: 'word '.repeat(500) },
    { drip: { text: 'and at last a **zebra** and a quagga', everyMs: 20 } },
    { wait: 1_500 },
  ],
]

/** Counts in each frame how often the last word is shown. */
const COUNT_LAST_WORDS = `(() => {
  const counts = (window.lastWords = [])
  const look = () => {
    const posts = [...document.querySelectorAll('[role=log] article')].filter((node) => !node.textContent.includes('script'))
    const count = posts.filter((node) => node.textContent.includes('quagga')).length
    if (counts.at(-1) !== count) counts.push(count)
    requestAnimationFrame(look)
  }
  look()
})()`

test('[PG238] words stream with tool calls folded, and the post replaces them in one frame', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  await page.getByText('Write what you want done').waitFor()
  await page.evaluate(COUNT_LAST_WORDS)
  await client().startExchange({ body: { teamId: rooms.fresh, body: scriptPrompt(TURN, 'Go'), to: ['Ada'] } })
  const speaking = page.getByRole('article', { name: 'Ada, speaking' })
  await speaking.getByText('word word').waitFor()
  await speaking.getByText('write a.md').waitFor()
  expect(await speaking.getByText(/team_chat_post|Kit, look/).count()).toBe(0)
  const adaPost = page.getByRole('article', { name: /^Ada, \d/ }).filter({ hasText: 'quagga' })
  await adaPost.locator('strong', { hasText: 'zebra' }).waitFor()
  await speaking.waitFor({ state: 'detached' })
  expect(await page.evaluate('window.lastWords')).toEqual([0, 1])
})

test('[PG240] the steps of a run unfold under its post with the keyboard, and link to the run', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  const adaPost = page.getByRole('article', { name: /^Ada, \d/ }).filter({ hasText: 'quagga' })
  await adaPost.getByRole('link', { name: /^Link to this post/ }).focus()
  await adaPost.getByText(/posted by the server/).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await adaPost.getByRole('region', { name: 'What Ada did' }).getByText('write a.md').waitFor()
  expect(await adaPost.getByText('Open the run').getAttribute('href')).toMatch(/^\/runs\//)
})

test('[PG239] a pass is never visible', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  await log(page).waitFor()
  await page.evaluate(`(() => {
    const look = () => {
      for (const node of document.querySelectorAll('[role=log] [data-said], [role=log] article[aria-label$=speaking]'))
        if (/NO_|^NO?$/.test(node.innerText) && !node.innerText.includes('script')) window.sawPass = true
      requestAnimationFrame(look)
    }
    look()
  })()`)
  const pass: ScriptTurn[] = [[{ wait: 200 }, { drip: { text: 'NO_REPLY', everyMs: 20 } }]]
  const { exchange } = await client().startExchange({
    body: { teamId: rooms.fresh, body: scriptPrompt(pass, 'Nothing to say?'), to: ['Kit'], wait: true },
  })
  expect(exchange.status).toBe('ended')
  await expect.poll(() => page.getByRole('article', { name: /speaking/ }).count()).toBe(0)
  expect(await page.evaluate('window.sawPass')).toBeUndefined()
})

test('[PG236] a post shows its author, its recipients and its credential', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  const asked = (await client().postToRoom({ body: { teamId: rooms.fresh, body: 'For you', to: ['Kit'] } })).seq
  await post(page, asked).getByText('Kit', { exact: true }).waitFor()
  await post(page, asked).hover()
  await post(page, asked)
    .getByText(/operator's sign-in/)
    .waitFor()
})

test('[PG237] the server’s line about a task links to the task', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  await client().createTask({ params: { teamId: rooms.fresh }, body: { title: 'Add the switch' } })
  const taskLine = page.getByRole('article', { name: /^Clawboo/ }).filter({ hasText: 'Add the switch' })
  await taskLine.getByRole('link', { name: 'Add the switch' }).click()
  await page.getByRole('heading', { name: 'Add the switch' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/board/${rooms.fresh}`)
})

test('[PG244] hostile text stays text: it runs no script, fetches nothing and does not widen the page', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(fixture.server.url)) foreign.push(request.url())
  })
  const seq = await say(
    rooms.fresh,
    `![p](http://127.0.0.1:9/p.png) <img src=http://127.0.0.1:9/q.png onerror="document.title='x'"> [go](javascript:document.title='y') \u202Edrow\u202C ${'W'.repeat(20_000)}`,
  )
  await post(page, seq).getByText('<img src=').waitFor()
  expect(await post(page, seq).locator('img, script, a[href^="javascript:"]').count()).toBe(0)
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  expect(await log(page).evaluate((area) => area.scrollWidth <= area.clientWidth)).toBe(true)
  expect(foreign).toEqual([])
  await post(page, seq)
    .getByRole('button', { name: /^Show all 20,/ })
    .waitFor()
})

test('[PG245] members link to their pages, and a complete post is read aloud', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  expect(await log(page).getAttribute('aria-live')).toBe('off')
  const members = page.getByRole('navigation', { name: 'Members' })
  expect(await members.getByRole('link', { name: /^Ada leads/ }).getAttribute('href')).toBe(`/agents/${rooms.ids.Ada}`)
  await log(page).focus()
  await client().startExchange({
    body: { teamId: rooms.fresh, body: scriptPrompt([[{ say: 'Heard and done.' }]], 'Say it'), to: ['Ada'] },
  })
  await page.getByRole('status').filter({ hasText: 'Ada: Heard and done.' }).waitFor({ state: 'attached' })
})

test('[PG246] axe finds nothing in a room, in both themes and on a phone, and a deleted room shows that it is gone', async () => {
  const page = await fixture.open(roomOf(rooms.fresh))
  await log(page).locator('[data-seq]').last().waitFor()
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violations(page)))
  }
  await page.setViewportSize({ width: 390, height: 800 })
  await log(page)
    .getByRole('link', { name: /^Link to this post/ })
    .last()
    .focus()
  found.push(...(await violations(page)))
  expect(found).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await page.goto(`${fixture.server.url}/teams/gone/room`)
  await page.getByText('Room not found').waitFor()
})

test('[PG245] the focused element stays on the page when it is scrolled out of sight', async () => {
  const page = await fixture.open(roomOf(rooms.long))
  await log(page).locator('[data-seq]').last().waitFor()
  const link = page
    .locator('[data-seq]')
    .last()
    .getByRole('link', { name: /^Link to this post/ })
  await link.focus()
  await log(page).evaluate((area) => area.scrollTo(0, 0))
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  expect(await page.evaluate('document.activeElement?.getAttribute("aria-label")')).toMatch(/^Link to this post/)
})

test('[PG279] the work column follows the board, stays closed once closed, and is not loaded in a narrow window', async () => {
  const page = await fixture.open(roomOf(rooms.long))
  const boards: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/board')) boards.push(request.url())
  })
  const work = page.getByRole('complementary', { name: 'Work' })
  await work.getByText('Nothing in progress.').waitFor()
  const asked = { title: 'Count the plans', assignee: { kind: 'person', id: rooms.robin } } as const
  const { id } = await client().createTask({ params: { teamId: rooms.long }, body: asked })
  const card = work.getByRole('listitem').filter({ hasText: 'Count the plans' })
  await card.getByText('Robin', { exact: true }).waitFor()
  const body = { to: 'blocked', reason: 'No plans' } as const
  await client().moveTask({ params: { taskId: id }, body })
  for (const words of ['Blocked', 'No plans']) await card.getByText(words, { exact: true }).waitFor()
  await work.getByText('1 of 1 still open').waitFor({ state: 'attached' })
  // One line represents both; the address of the first one shows it.
  const taskLine = page.getByRole('article', { name: /^Clawboo/ }).filter({ hasText: 'Count the plans' })
  await taskLine.getByRole('button', { name: '1 more line about this task', expanded: false }).press('Enter')
  await expect.poll(() => taskLine.count()).toBe(2)
  await taskLine.getByRole('button', { expanded: true }).and(page.locator(':focus')).waitFor()
  const [first] = await taskLine.evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-seq')))
  const button = page.getByRole('button', { name: 'Work', exact: true })
  await button.click()
  await work.waitFor({ state: 'detached' })
  boards.length = 0
  await page.goto(`${fixture.server.url}${roomOf(rooms.long, `?post=${Number(first) + 1}`)}`)
  await expect.poll(() => taskLine.count()).toBe(2)
  expect([await button.getAttribute('aria-expanded'), await work.count(), boards]).toEqual(['false', 0, []])
  await button.click()
  await card.getByRole('link').waitFor()
  await page.setViewportSize({ width: 1100, height: 800 })
  await work.waitFor({ state: 'detached' })
  boards.length = 0
  await page.reload()
  await taskLine.first().waitFor()
  expect([await button.count(), boards]).toEqual([0, []])
  await page.setViewportSize({ width: 1280, height: 800 })
  await card.getByRole('link', { name: 'Count the plans' }).click()
  await page.getByRole('heading', { name: 'Count the plans' }).waitFor()
})
