import { expect, test, vi } from 'vitest'
import { violations } from './axe-violations.ts'
import { bar, field, isFocused, log, onAndOn, postWith, preview, slowly, startSpeaking } from './speaking-room.ts'

const room = startSpeaking()
const { client, makeTeam, open, playNext } = room
const PATIENT = { timeout: 60_000 }

test('[PG276] a question, a handoff to a second Boo, a steer, a stopped chain and a reload are all shown', async () => {
  const teamId = await makeTeam('Launch', ['Sam'])
  const page = await open(teamId)
  const ask = { callTool: 'team_chat_post', with: { body: 'Kit, check the prices.', to: ['Kit'] } }
  playNext([ask], [{ say: 'Kit checks the prices.' }], onAndOn('price'))
  await page.getByRole('combobox', { name: 'Post as' }).selectOption({ label: 'Sam' })
  await field(page).fill('Plan the launch')
  await field(page).press('Enter')
  await postWith(page, 'Kit checks the prices.').waitFor()
  await bar(page).getByText('Kit replies because a teammate asked it').waitFor()
  await log(page).getByText('price3').waitFor()

  await field(page).fill('Mind the gap')
  await page.getByText('Sends when this finishes', { exact: true }).waitFor()
  await page.locator('label', { hasText: 'Steer now' }).click()
  await page.getByText('Joins the current exchange', { exact: true }).waitFor()
  await field(page).press('Enter')
  await bar(page).getByText('From “Mind the gap”').waitFor()
  await expect.poll(() => field(page).inputValue()).toBe('')

  await page.reload()
  await bar(page).getByText('From “Plan the launch”').waitFor()
  await bar(page).getByText('Kit replies because a teammate asked it').waitFor()
  await log(page).getByText('price3').waitFor()
  playNext([{ say: 'The gap is minded.' }])
  await bar(page).getByRole('button', { name: 'Stop this request: “Plan the launch”' }).click()
  await postWith(page, 'The gap is minded.').waitFor()
  await bar(page)
    .getByText(/^Finished · 3 replies/)
    .waitFor()

  const once = [
    'Plan the launch',
    'Kit, check the prices.',
    'Kit checks the prices.',
    'Mind the gap',
    'The gap is minded.',
  ]
  for (const text of once) expect.soft(await postWith(page, text).count(), text).toBe(1)
  const { posts } = await client().readRoom({ query: { teamId } })
  for (const text of once) expect.soft(posts.filter(({ body }) => body === text).length, text).toBe(1)
  expect(posts[0]).toMatchObject({ author: { kind: 'person' }, kind: 'user' })
})

test('[PG261] the keyboard picks a Boo, the preview follows, and an unticked Boo does not run', async () => {
  const teamId = await makeTeam('Picks')
  const page = await open(teamId)
  await field(page).pressSequentially('Round it, @')
  const list = page.getByRole('listbox', { name: 'Boos of this team' })
  await list.waitFor()
  expect(await list.getByRole('option').count()).toBe(2)
  await field(page).press('Escape')
  await list.waitFor({ state: 'detached' })
  await field(page).press('Backspace')
  await field(page).pressSequentially('@')
  await field(page).press('ArrowDown')
  await expect.poll(() => list.getByRole('option', { selected: true }).innerText()).toContain('Kit')
  await field(page).press('Tab')
  expect(await field(page).inputValue()).toBe('Round it, @Kit ')
  expect(await isFocused(page)).toBe(true)
  await preview(page).getByText('Kit · mentioned').waitFor()
  await preview(page).getByText('Ada · leads').waitFor()
  await preview(page).getByText('up to 4 turns · cost unknown').waitFor()
  expect(await violations(page)).toEqual([])
  await preview(page).getByRole('checkbox', { name: /^Ada/ }).uncheck()
  await preview(page).getByText('up to 2 turns').waitFor()
  await client().changeRoomSettings({ body: { teamId, turnCap: 1 } })
  await preview(page).getByText('up to 1 turn').waitFor()
  playNext([{ say: 'Rounded by Kit.' }])
  await field(page).press('Enter')
  await postWith(page, 'Rounded by Kit.').waitFor()
  await bar(page)
    .getByText(/^Finished · 1 reply/)
    .waitFor()
  const { posts } = await client().readRoom({ query: { teamId } })
  expect(posts.map(({ body }) => body)).toEqual(['Round it, @Kit', 'Rounded by Kit.'])
  expect(posts[0]!.to.length).toBe(1)
})

test('[PG265] a post without a reply starts no exchange; a removed mention and a typed name ask no Boo', async () => {
  const teamId = await makeTeam('Quiet')
  const page = await open(teamId)
  await field(page).pressSequentially('@ki')
  await field(page).press('Enter')
  await preview(page).getByText('Kit · mentioned').waitFor()
  await field(page).press('Backspace')
  await field(page).press('Backspace')
  await expect.poll(() => field(page).inputValue()).toBe('')
  await field(page).pressSequentially('Ask @Kit about it')
  await preview(page).getByText('Ada · leads').waitFor()
  // The previous preview stays until the next one arrives.
  await expect.poll(() => preview(page).getByText('mentioned').count()).toBe(0)
  await preview(page).getByRole('button', { name: 'Post without a reply' }).click()
  await postWith(page, 'Ask @Kit about it').waitFor()
  // The feed may show the post before its sender gets the response.
  await expect.poll(() => field(page).inputValue()).toBe('')
  await expect.poll(() => isFocused(page)).toBe(true)
  const { posts, exchanges } = await client().readRoom({ query: { teamId } })
  expect([posts.length, posts[0]?.to, exchanges]).toEqual([1, [], []])
})

test('[PG260] each team has its own draft with its mentions, and a refused message stays in the field', async () => {
  const [one, two] = [await makeTeam('First'), await makeTeam('Second')]
  const page = await open(one)
  await field(page).pressSequentially('Half a thought for @ki')
  await field(page).press('Enter')
  await field(page).press('Shift+Enter')
  await page.goto(`${room.fixture.server.url}/teams/${two}/room`)
  await field(page).waitFor()
  await expect.poll(() => field(page).inputValue()).toBe('')
  await page.goto(`${room.fixture.server.url}/teams/${one}/room`)
  await expect.poll(() => field(page).inputValue()).toBe('Half a thought for @Kit \n')
  await preview(page).getByText('Kit · mentioned').waitFor()
  await page.route('**/team-chat/exchange', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'queue_full', message: 'full', details: {} } } }),
  )
  await field(page).press('Enter')
  await page.getByRole('alert').getByText('Too many messages are waiting').waitFor()
  await expect.poll(() => field(page).inputValue()).toBe('Half a thought for @Kit \n')
  await page.unroute('**/team-chat/exchange')
  await page.route('**/team-chat/exchange', () => undefined)
  await field(page).press('Enter')
  await page.getByRole('button', { name: 'Sending' }).waitFor()
  await page.reload()
  await page.getByText('Not confirmed. The page was closed').waitFor()
  await page.unroute('**/team-chat/exchange')
  playNext([{ say: 'Thought over.' }], [{ say: 'NO_REPLY' }])
  await field(page).press('Enter')
  await postWith(page, 'Thought over.').waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

test('[PG271] a message waits for the running exchange and can be withdrawn; Escape twice stops the rest', async () => {
  const teamId = await makeTeam('Queue')
  const page = await open(teamId)
  playNext(onAndOn('slow'))
  await field(page).fill('Talk for long')
  await field(page).press('Enter')
  await bar(page).getByText('Ada replies because it leads').waitFor()
  await field(page).fill('Afterwards, rest')
  await field(page).press('Enter')
  const waiting = bar(page).getByRole('list', { name: 'Waiting' })
  await waiting.getByText('“Afterwards, rest”').waitFor()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page)).toEqual([])
  }
  await waiting.getByRole('button', { name: 'Withdraw “Afterwards, rest”' }).click()
  await waiting.waitFor({ state: 'detached' })
  await field(page).press('Escape')
  await bar(page).getByRole('button', { name: 'Esc again stops' }).waitFor()
  await field(page).press('Escape')
  await bar(page)
    .getByText(/^Stopped/)
    .waitFor()
  expect(await postWith(page, 'Afterwards, rest').count()).toBe(1)
})

test('[PG272] an exchange that ended while no page was open shows its end until it is dismissed', async () => {
  const teamId = await makeTeam('Ends')
  await client().changeRoomSettings({ body: { teamId, turnCap: 1 } })
  const page = await open(teamId)
  const ask = { callTool: 'team_chat_post', with: { body: 'Kit, one word?', to: ['Kit'] } }
  playNext([ask], slowly(40, 'slow'))
  await field(page).fill('One turn only')
  await field(page).press('Enter')
  await log(page).getByText('slow3').waitFor()
  await page.goto('about:blank')
  await vi.waitFor(async () => {
    expect((await client().readRoom({ query: { teamId } })).exchanges).toEqual([])
  }, PATIENT)
  await page.goto(`${room.fixture.server.url}/teams/${teamId}/room`)
  await bar(page)
    .getByText('Stopped at the limit of 1 turn. Kit still had to reply. Send a message to continue.')
    .waitFor()
  await bar(page).getByRole('link', { name: 'Change the turn limit' }).click()
  const cap = page.getByRole('textbox', { name: 'Most turns in one exchange' })
  expect(await cap.inputValue()).toBe('1')
  await page.getByRole('link', { name: 'Back to the room' }).click()
  await bar(page).getByRole('button', { name: 'Dismiss' }).click()
  await bar(page).waitFor({ state: 'detached' })
  await page.reload()
  await field(page).waitFor()
  expect(await bar(page).count()).toBe(0)
})

test('[PG273] the settings of a room are saved, and an invalid turn cap shows the problem at its field', async () => {
  const teamId = await makeTeam('Settings')
  const page = await room.fixture.open(`/teams/${teamId}/room/settings`)
  const cap = page.getByRole('textbox', { name: 'Most turns in one exchange' })
  await cap.fill('99')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('A whole number from 1 to 50').waitFor()
  await cap.fill('8')
  await page.getByRole('checkbox', { name: /^A report wakes the leader/ }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved the room settings of Settings').waitFor()
  expect(await client().getRoomSettings({ query: { teamId } })).toMatchObject({ turnCap: 8, wakesLeader: true })
  expect(await violations(page)).toEqual([])
})

test('[PG268] the operator can post as a person of the team, and the choice is stored', async () => {
  const teamId = await makeTeam('People', ['Sam'])
  const page = await open(teamId)
  const speaker = page.getByRole('combobox', { name: 'Post as' })
  await speaker.selectOption({ label: 'Sam' })
  await page.reload()
  await expect.poll(() => speaker.locator('option:checked').innerText()).toBe('Sam')
  await field(page).fill('I am Sam')
  await preview(page).getByRole('button', { name: 'Post without a reply' }).click()
  await postWith(page, 'I am Sam').waitFor()
  const { posts } = await client().readRoom({ query: { teamId } })
  const { agents } = await client().listAgents({})
  const sam = agents.find(({ teamId: team, displayName }) => team === teamId && displayName === 'Sam')
  expect(posts[0]?.author).toEqual({ kind: 'person', id: sam?.id })
})

test('[PG274] a room opens with the focus in the message field, except from a link to one post', async () => {
  const teamId = await makeTeam('Cursor')
  await client().postToRoom({ body: { teamId, body: 'First of all' } })
  const reader = await room.fixture.open(`/teams/${teamId}/room?post=1`)
  await postWith(reader, 'First of all').waitFor()
  await field(reader).waitFor()
  expect(await isFocused(reader)).toBe(false)
  await reader.goto(`${room.fixture.server.url}/teams/${teamId}/room`)
  await expect.poll(() => isFocused(reader)).toBe(true)
})

test('[PG275] on a phone controls are large enough, the field gets no focus, and axe finds nothing', async () => {
  const teamId = await makeTeam('Phone', ['Sam'])
  const say = (body: string, mode: 'queue' | 'steer') => client().startExchange({ body: { teamId, body, mode } })
  playNext(onAndOn('slow'))
  await say('Talk', 'queue')
  const touch = await room.fixture.browser.newContext({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 780 },
    reducedMotion: 'reduce',
    storageState: await room.fixture.context.storageState(),
  })
  const page = await room.fixture.open(`/teams/${teamId}/room`, touch)
  await bar(page).getByText('Ada replies').waitFor()
  expect(await isFocused(page)).toBe(false)
  await say('And rest', 'steer')
  await say('Then wake', 'queue')
  await field(page).fill('Words')
  await bar(page).getByRole('button', { name: '2 requests, 1 waits' }).tap()
  await preview(page).getByText('Ada · leads').waitFor()
  const frame = field(page).locator('xpath=ancestor::div[2]')
  const pressed = [
    bar(page).getByRole('button'),
    preview(page).locator('label, button'),
    frame.locator('button, select, label:has(input)'),
  ]
  for (const target of (await Promise.all(pressed.map((each) => each.all()))).flat()) {
    expect.soft((await target.boundingBox())!.height, await target.innerText()).toBeGreaterThanOrEqual(40)
  }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page)).toEqual([])
  }
  for (const { id } of (await client().readRoom({ query: { teamId } })).exchanges)
    await client().stopRoom({ body: { teamId, exchangeId: id } })
  await touch.close()
})
