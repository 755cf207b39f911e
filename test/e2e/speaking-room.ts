import type { ScriptTurn } from '@clawboo/scripted-model'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type PageFixture, startPage } from './page-fixture.ts'

/** A real server with Boos that speak a test's scripted turns, one after the other; for one test file. */
export function startSpeaking() {
  let fixture: PageFixture
  let model: ScriptedModel
  const client = () => fixture.server.client
  beforeAll(async () => {
    fixture = await startPage()
    model = await startScriptedModel()
    const body = { label: 'Scripted', baseUrl: `${model.url}/v1`, models: [{ id: 'boo' }] }
    await client().saveProvider({ params: { providerId: 'scripted' }, body })
    await client().setModelDefaults({ body: { defaultModel: 'scripted/boo' } })
    // The first agent leads every team.
    await client().createAgent({ body: { name: 'Ada' } })
  })
  afterEach(async () => {
    await fixture.closePages()
    fixture.expectCalm()
  })
  afterAll(async () => {
    await fixture.close()
    await model.close()
  })
  return {
    get fixture() {
      return fixture
    },
    client,
    /** Sets the script of the next model calls. */
    playNext: (...turns: ScriptTurn[]) => model.playNext(...turns),
    /** A team of Kit and these people, led by Ada. */
    async makeTeam(name: string, people: readonly string[] = []): Promise<string> {
      const memberIds = [(await client().createAgent({ body: { name: 'Kit' } })).id]
      for (const person of people)
        memberIds.push((await client().createAgent({ body: { name: person, participantKind: 'human' } })).id)
      return (await client().createTeam({ body: { name, memberIds } })).team.id
    },
    open: (teamId: string) => fixture.open(`/teams/${teamId}/room`),
  }
}

const words = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
export const slowly = (count: number, name: string): ScriptTurn => [{ drip: { text: words(count, name), everyMs: 60 } }]
/** A turn that starts to write and ends only when it is stopped. */
export const onAndOn = (name: string): ScriptTurn => [...slowly(9, name), { wait: 120_000 }]

export const field = (page: Page) => page.getByRole('textbox', { name: /^Message / })
export const isFocused = (page: Page) => field(page).evaluate((node) => node.matches(':focus'))
export const bar = (page: Page) => page.getByRole('region', { name: 'In progress now' })
export const preview = (page: Page) => page.getByRole('region', { name: 'Who will reply' })
export const log = (page: Page) => page.getByRole('log')
export const postWith = (page: Page, text: string) => log(page).getByText(text, { exact: true })
