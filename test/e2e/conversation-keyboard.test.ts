import { type ScriptTurn, scriptPrompt } from '@clawboo/scripted-model'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { field, said, say, startTalking, stopButton, waiting } from './talking-page.ts'

const talking = startTalking()
const { makeBoo } = talking

const hasFocus = (page: Page) => field(page).evaluate((node) => node.matches(':focus'))
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
const SLOW: ScriptTurn = [{ drip: { text: words(400), everyMs: 60 } }]

/** Sends a message that waits for the end of a slow run. */
async function leaveWaiting(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'How to send' }).click()
  await page.getByRole('menuitem', { name: /^Follow up/ }).click()
  await say(page, text)
  await waiting(page).getByText('Waiting: follow up').waitFor()
}

test('[PG152] a withdrawn message is below the draft again, complete and with the cursor', async () => {
  const page = await talking.fixture.open(`/agents/${await makeBoo('Ada')}`)
  await say(page, scriptPrompt([SLOW], 'Begin'))
  await said(page).getByText('word3').waitFor()
  const long = `Later, please. ${'More of it. '.repeat(300)}End.`
  await leaveWaiting(page, long)
  await field(page).fill('Half a thought')
  await waiting(page).getByRole('button', { name: 'Withdraw' }).press('Enter')
  await expect.poll(() => field(page).inputValue()).toBe(`Half a thought\n\n${long}`)
  expect(await hasFocus(page)).toBe(true)
  await page.getByText('Withdrawn.').waitFor()
  await stopButton(page).press('Enter')
  await page.getByText('Stopped by you').waitFor()
  await expect.poll(() => hasFocus(page)).toBe(true)
})

test('[PG154] a message sent while scrolled up is visible at once', async () => {
  const page = await talking.fixture.open(`/agents/${await makeBoo('Bea')}`)
  await say(page, scriptPrompt([[{ say: `Top.\n\n${'A line.\n\n'.repeat(120)}` }]], 'Talk'))
  await stopButton(page).waitFor({ state: 'detached' })
  await said(page).getByText('Top.', { exact: true }).waitFor()
  await page.getByRole('log').hover()
  await page.mouse.wheel(0, -100_000)
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  await say(page, scriptPrompt([[{ say: 'Here is the end.' }]], 'More'))
  await said(page).getByText('Here is the end.', { exact: true }).waitFor()
  const end = said(page).getByText('Here is the end.', { exact: true })
  await expect.poll(async () => ((await end.boundingBox())?.y ?? 9_999) < 800).toBe(true)
  expect(await page.getByRole('button', { name: 'Jump to newest' }).count()).toBe(0)
})

test('[PG157] after an answer, focus stays on the page and ends at the composer', async () => {
  const page = await talking.fixture.open(`/agents/${await makeBoo('Cai')}`)
  const script: ScriptTurn[] = [
    [
      { callTool: 'exec', with: { command: 'uname' } },
      { callTool: 'exec', with: { command: 'whoami' } },
    ],
    [{ say: 'Both asked.' }],
  ]
  await say(page, scriptPrompt(script, 'Ask me'))
  const asked = page.getByRole('region', { name: 'Needs you' })
  for (const answer of ['Allow once', 'Deny']) {
    await asked.first().getByRole('button', { name: answer }).press('Enter')
    await page
      .getByText(answer === 'Deny' ? 'Denied' : 'Allowed once')
      .first()
      .waitFor()
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).not.toBe('BODY')
  }
  await said(page).getByText('Both asked.').waitFor()
  await expect.poll(() => hasFocus(page)).toBe(true)
})

test('[PG157] after a dialog or a form, focus is where the person continues', async () => {
  const id = await makeBoo('Dot')
  const page = await talking.fixture.open(`/agents/${id}`)
  await say(page, scriptPrompt([[{ say: 'Said.' }]], 'Hello'))
  await said(page).getByText('Said.', { exact: true }).waitFor()
  await stopButton(page).waitFor({ state: 'detached' })
  const anew = page.getByRole('button', { name: 'New conversation' })
  await anew.press('Enter')
  await page.getByRole('button', { name: 'Keep this one' }).press('Enter')
  await expect.poll(() => anew.evaluate((node) => node.matches(':focus'))).toBe(true)
  await anew.press('Enter')
  await page.getByRole('button', { name: 'Start new' }).press('Enter')
  await page.getByText('New conversation. Dot').waitFor()
  await expect.poll(() => hasFocus(page)).toBe(true)
  await page.getByRole('link', { name: 'Identity' }).click()
  const edit = page.getByRole('button', { name: 'Edit' })
  for (const way of ['Cancel', 'Save']) {
    await edit.press('Enter')
    if (way === 'Save') await page.getByRole('textbox', { name: 'Role' }).fill('Tester')
    await page.getByRole('button', { name: way }).press('Enter')
    await expect.poll(() => edit.evaluate((node) => node.matches(':focus'))).toBe(true)
  }
  await page.getByRole('link', { name: 'Set-up' }).click()
  const save = page.getByRole('button', { name: 'Save' })
  await page.getByRole('textbox', { name: 'Daily budget in dollars' }).fill('3')
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  expect(await save.evaluate((node) => node.matches(':focus'))).toBe(true)
})

test('[PG159] an approval has the same answers in the same order here and in Needs you, and shows what it covers', async () => {
  const page = await talking.fixture.open(`/agents/${await makeBoo('Eli')}`)
  await say(page, scriptPrompt([[{ callTool: 'exec', with: { command: 'uname' } }], [{ say: 'Done.' }]], 'Ask'))
  const needs = await talking.fixture.open('/needs-you')
  for (const shown of [page, needs]) {
    const answers = shown.getByRole('group', { name: 'Answers' })
    await answers.waitFor()
    expect(await answers.getByRole('button').allInnerTexts()).toEqual(['Allow once', 'Always allow', 'Deny'])
    await answers.getByText('covers exactly this command').waitFor()
  }
  await page.route('**/attention/**', (route) => route.abort())
  await page.getByRole('button', { name: 'Allow once' }).click()
  await page.getByText("Couldn't answer. The server isn't responding.").waitFor()
  expect(await page.getByRole('alert').innerText()).toMatch(/still waits\. Try again when it's back\.$/)
  await page.unroute('**/attention/**')
  await page.getByRole('button', { name: 'Allow once' }).click()
  await said(page).getByText('Done.', { exact: true }).waitFor()
  talking.fixture.expectCalm(/ERR_FAILED/)
})

test('[PG155] at phone width the model’s name and its scripted mark are readable', async () => {
  const phone = await talking.fixture.newContext({ width: 390, height: 844 })
  const page = await talking.fixture.open(`/agents/${await makeBoo('A Boo with a rather long name')}`, phone)
  const chosen = page.getByRole('combobox', { name: 'Model' })
  expect(await chosen.locator('option:checked').innerText()).toMatch(
    new RegExp(`^${talking.model.slice(talking.model.indexOf('/') + 1)} \\(`),
  )
  await page.getByText('scripted, not an AI', { exact: true }).waitFor()
  const box = (await chosen.boundingBox())!
  expect(box.width).toBeGreaterThan(140)
  expect(box.x + box.width).toBeLessThanOrEqual(390)
  await phone.close()
})

test('[PG160] a new word renders only a few components again, however long the list is', async () => {
  const page = await talking.fixture.context.newPage()
  await page.addInitScript(countDrawnParts)
  await page.goto(`${talking.fixture.server.url}/agents/${await makeBoo('Fay')}`)
  const list = Array.from({ length: 300 }, (_, at) => `- item ${at}`).join('\n')
  const script: ScriptTurn[] = [[{ say: `${list}\n` }, { drip: { text: `- ${words(100)}`, everyMs: 60 } }]]
  await field(page).waitFor()
  await say(page, scriptPrompt(script, 'List'))
  await said(page).getByText('word3').waitFor()
  await page.evaluate('drawnParts.length = 0')
  await said(page).getByText('word80').waitFor()
  const drawn = await page.evaluate<number[]>('drawnParts')
  expect(drawn.length).toBeGreaterThan(5)
  expect(drawn.toSorted((one, other) => one - other)[Math.floor(drawn.length / 2)]).toBeLessThan(80)
})

/** Runs in the page before its own script: counts the components that rendered in each commit, as React reports them to its tools. */
function countDrawnParts(): void {
  type Fiber = { tag: number; flags: number; alternate: Fiber | null; child: Fiber | null; sibling: Fiber | null }
  const drawnParts: number[] = []
  const PERFORMED_WORK = 1
  const isComponent = ({ tag }: Fiber) => tag === 0 || tag === 11 || tag === 14 || tag === 15
  const count = (fiber: Fiber | null): number => {
    let sum = 0
    for (let at = fiber; at; at = at.sibling) {
      // A subtree that did not render is the same object as before.
      if (isComponent(at) && (at.flags & PERFORMED_WORK) !== 0) sum += 1
      if (at.alternate === null || at.child !== at.alternate.child) sum += count(at.child)
    }
    return sum
  }
  const hook = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_id: number, root: { current: Fiber }) => drawnParts.push(count(root.current.child)),
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
  }
  Object.assign(globalThis, { drawnParts, __REACT_DEVTOOLS_GLOBAL_HOOK__: hook })
}
