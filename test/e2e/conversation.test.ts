import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import { expect, test, vi } from 'vitest'
import { violations } from './axe-violations.ts'
import { field, said, say, startTalking, stopButton } from './talking-page.ts'

const talking = startTalking()
const { client, makeBoo } = talking

/** Sends a message through the API and waits for the run to end. */
async function sendAndWait(agentId: string, script: readonly ScriptTurn[], words: string): Promise<void> {
  await client().sendMessage({ params: { agentId }, body: { text: scriptPrompt(script, words) } })
  await vi.waitFor(async () => {
    const { runs, activeRunId } = await client().readConversation({ params: { agentId }, query: { limit: 1 } })
    const ended = activeRunId === null && runs[0]?.run.state === 'ended' && runs[0].run.prompt.startsWith(words)
    if (!ended) throw new Error('the run has not ended')
  }, PATIENT)
}

const PATIENT = { timeout: 60_000 }
const SLOW = (text: string): ScriptTurn => [{ drip: { text, everyMs: 60 } }]
const LONG = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')

test('[PG66] a Boo’s reasoning, text and tool calls stream live, and a reload shows the same', async () => {
  const id = await makeBoo('Ada')
  const page = await talking.fixture.open(`/agents/${id}`)
  await expect.poll(() => field(page).evaluate((node) => node.matches(':focus'))).toBe(true)
  const script: ScriptTurn[] = [
    [
      { think: 'A file is wanted.' },
      { say: 'I **write** it.' },
      { callTool: 'write', with: { path: 'a.md', content: 'x' } },
    ],
    [{ drip: { text: 'Here:\n\n```sh\nnpm test\n```\n\nwas the last of all.', everyMs: 40 } }],
  ]
  await say(page, scriptPrompt(script, 'Write a file'))
  await page.getByText('Thought', { exact: true }).waitFor()
  await page.locator('pre code', { hasText: 'npm test' }).waitFor()
  await stopButton(page).waitFor({ state: 'detached' })
  await said(page).getByText('was the last of all.').waitFor()
  expect(await page.locator('strong', { hasText: 'write' }).count()).toBe(1)
  await said(page).getByText('write a.md').click()
  await page.getByText(/Wrote 1 byte/).waitFor()
  const words = async () =>
    (await page.getByRole('log').innerText()).replace(/\d+(\.\d)? s\b/g, '').replace(/[\s\S]*Write a file/, '')
  await said(page).getByText('write a.md').click()
  const before = await words()
  await page.reload()
  await said(page).getByText('was the last of all.').waitFor()
  await expect.poll(words).toBe(before)
})

test('[PG66] a run that continues while another page opens, reloads or was hidden is complete everywhere', async () => {
  const id = await makeBoo('Bea')
  const page = await talking.fixture.open(`/agents/${id}`)
  await say(page, scriptPrompt([SLOW(`${LONG} fin.`)], 'Go on'))
  await said(page).getByText('word5').waitFor()
  const other = await talking.fixture.open(`/agents/${id}`)
  await said(other).getByText('word9').waitFor()
  await page.reload()
  for (const shown of [page, other]) {
    await said(shown).getByText(`${LONG} fin.`, { exact: true }).waitFor()
    expect(await said(shown).getByText(`${LONG} fin.`).count()).toBe(1)
  }
})

test('[PG66] one message steers the run, another waits for its end and can be withdrawn', async () => {
  const id = await makeBoo('Cai')
  const page = await talking.fixture.open(`/agents/${id}`)
  const script: ScriptTurn[] = [
    [...SLOW(LONG), { callTool: 'read', with: { path: 'none.md' } }],
    [{ say: 'Turn two.' }],
  ]
  await say(page, scriptPrompt(script, 'Begin'))
  await said(page).getByText('word3').waitFor()
  await page.getByRole('button', { name: 'How to send' }).click()
  await page.getByRole('menuitem', { name: /^Follow up/ }).click()
  await say(page, 'Later, please')
  const waiting = page.getByRole('list', { name: 'Waiting messages' })
  await waiting.getByText('Waiting: follow up').waitFor()
  await say(page, 'Also mind the gap')
  await waiting
    .getByRole('listitem')
    .filter({ hasText: 'Later, please' })
    .getByRole('button', { name: 'Withdraw' })
    .click()
  await page.getByText('Withdrawn').waitFor()
  await said(page).getByText('Turn two.').waitFor()
  await expect.poll(() => page.getByText('Also mind the gap').count()).toBe(1)
  await stopButton(page).waitFor({ state: 'detached' })
  const { runs } = await client().readConversation({ params: { agentId: id } })
  expect(runs.length).toBe(1)
  expect(JSON.stringify(runs)).not.toContain('Later, please')
})

test('[PG67] an approval appears at its command, and the first answer counts wherever it is given', async () => {
  const id = await makeBoo('Dot')
  const page = await talking.fixture.open(`/agents/${id}`)
  const script: ScriptTurn[] = [
    [{ callTool: 'exec', with: { command: 'uname' } }],
    [{ callTool: 'exec', with: { command: 'whoami' } }],
    [{ say: 'Both asked.' }],
  ]
  await say(page, scriptPrompt(script, 'Ask me'))
  const asked = page.getByRole('region', { name: 'Needs you' })
  await asked.getByText('uname', { exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await violations(page)).toEqual([])
  await asked.getByRole('button', { name: 'Allow once' }).click()
  await page.getByText('Allowed once:').waitFor()
  await asked.getByText('whoami', { exact: true }).waitFor()
  const { items } = await client().listAttention({ query: { state: 'open' } })
  await client().answerAttention({ params: { itemId: items[0]!.id }, body: { answer: 'deny' } })
  await page.getByText('Denied:').waitFor()
  await said(page).getByText('Both asked.').waitFor()
  expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0)
})

test('[PG68] Escape twice stops a run, its text stays, and its end shows the reason', async () => {
  const id = await makeBoo('Eli')
  const page = await talking.fixture.open(`/agents/${id}`)
  await say(page, scriptPrompt([SLOW(LONG)], 'Talk'))
  await said(page).getByText('word4').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Esc again stops' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped by you').waitFor()
  expect(await said(page).getByText('word4').count()).toBe(1)
  expect(await said(page).getByText('word59').count()).toBe(0)
})

test('[PG71] a message stays when the response is lost, and sending it again stores it once', async () => {
  const id = await makeBoo('Fay')
  const page = await talking.fixture.open(`/agents/${id}`)
  await page.route('**/messages', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await say(page, scriptPrompt([[{ say: 'Only once.' }]], 'Hello'))
  await page.getByText("Not confirmed. The server isn't responding.").waitFor()
  await page.unroute('**/messages')
  await page.reload()
  await page.getByText('Sending it again is safe.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' })
  await said(page).getByText('Only once.', { exact: true }).waitFor()
  expect((await client().readConversation({ params: { agentId: id } })).runs.length).toBe(1)
  talking.fixture.expectCalm(/ERR_FAILED/)
})

test('[PG71] each Boo has its own draft, and a refused message returns to the field', async () => {
  const [one, two] = [await makeBoo('Gus'), await makeBoo('Hal')]
  const page = await talking.fixture.open(`/agents/${one}`)
  await field(page).fill('Half a thought')
  await page.goto(`${talking.fixture.server.url}/agents/${two}`)
  expect(await field(page).inputValue()).toBe('')
  await page.goto(`${talking.fixture.server.url}/agents/${one}`)
  expect(await field(page).inputValue()).toBe('Half a thought')
  await page.route('**/messages', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'queue_full', message: 'full', details: {} } } }),
  )
  await field(page).press('Enter')
  await page.getByText('Too many messages are waiting').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await field(page).inputValue()).toBe('Half a thought')
})

test('[PG72] older runs load on scrolling up, the visible text stays in place, and one button leads back to the newest', async () => {
  const id = await makeBoo('Ivy')
  for (let at = 1; at <= 24; at++)
    await sendAndWait(id, [[{ say: `Answer ${at}.\n\n${'Some more words. '.repeat(60)}` }]], `Run ${at}`)
  const page = await talking.fixture.open(`/agents/${id}`)
  await said(page).getByText('Answer 24.').waitFor()
  expect(await said(page).getByText('Answer 2.', { exact: true }).count()).toBe(0)
  const log = page.getByRole('log')
  await log.hover()
  for (let tries = 0; tries < 60 && (await said(page).getByText('Answer 1.', { exact: true }).count()) === 0; tries++) {
    await page.mouse.wheel(0, -1500)
    await page.waitForTimeout(30)
  }
  await said(page).getByText('Answer 1.', { exact: true }).waitFor()
  const top = async () => (await said(page).getByText('Answer 5.', { exact: true }).boundingBox())!.y
  const before = await top()
  await sendAndWait(id, [[{ say: 'The newest of all.' }]], 'Run 25')
  expect(Math.abs((await top()) - before)).toBeLessThan(2)
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await expect.poll(() => said(page).getByText('The newest of all.', { exact: true }).isVisible()).toBe(true)
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor({ state: 'detached' })
}, 60_000)

test('[PG73] a new conversation asks for confirmation, and the earlier one stays readable above it', async () => {
  const id = await makeBoo('Jo')
  await sendAndWait(id, [[{ say: 'Said before.' }]], 'First')
  const page = await talking.fixture.open(`/agents/${id}`)
  await page.getByRole('button', { name: 'New conversation' }).click()
  const dialog = page.getByRole('dialog', { name: 'Start a new conversation?' })
  await dialog.getByRole('button', { name: 'Start new' }).click()
  const line = page.getByText("New conversation. Jo won't remember the messages above.")
  await line.waitFor()
  await sendAndWait(id, [[{ echo: 'messageCount' }]], 'Second')
  await page.reload()
  await line.waitFor()
  expect(await said(page).getByText('Said before.').count()).toBe(1)
})

test('[PG69] without a usable model the page shows what to do, and one button selects the demo model', async () => {
  const { id } = await client().createAgent({ body: { name: 'Kim', execConfig: { model: 'nowhere/none' } } })
  const page = await talking.fixture.open(`/agents/${id}`)
  await page.getByText('No provider has the model nowhere/none.').waitFor()
  await page.getByRole('link', { name: 'Set up a model' }).waitFor()
  await page.getByRole('button', { name: /^Use the demo model/ }).click()
  await page.getByText('No provider has').waitFor({ state: 'detached' })
  await say(page, scriptPrompt([[{ say: 'Now I can.' }]], 'Hello'))
  await said(page).getByText('Now I can.', { exact: true }).waitFor()
})

test('[PG76] a person has files and an identity, but no conversation', async () => {
  const { id } = await client().createAgent({ body: { name: 'Sam', participantKind: 'human' } })
  const page = await talking.fixture.open(`/agents/${id}`)
  await page.waitForURL(/identity$/)
  const tabs = page.getByRole('navigation', { name: 'About Sam' }).getByRole('link')
  expect(await tabs.allInnerTexts()).toEqual(['Files', 'Identity'])
})

test('[PG77] a server that dies during a run leaves it marked as interrupted, with its text', async () => {
  const id = await makeBoo('Lou')
  const page = await talking.fixture.open(`/agents/${id}`)
  await say(page, scriptPrompt([[{ drip: { text: LONG, everyMs: 200 } }]], 'Talk'))
  await said(page).getByText('word6').waitFor()
  await talking.fixture.restart()
  await page.getByText('Interrupted', { exact: true }).waitFor()
  await page.getByText('The work until then is kept.').waitFor()
  talking.fixture.expectCalm(/Failed to load|ERR_/)
}, 40_000)
