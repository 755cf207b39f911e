import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { createClient } from '@clawboo/api/client'
import type { ApprovalRequestEvent } from '@clawboo/core/executor'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { createApprovalQuestions } from './approval-questions.ts'

const request = (overrides: Partial<ApprovalRequestEvent> = {}): ApprovalRequestEvent => ({
  type: 'approval-request',
  approvalId: 'approval',
  callId: 'call',
  tool: 'exec',
  action: 'ls',
  cwd: '/here',
  reason: 'the item is not found',
  mayAlwaysAllow: false,
  ...overrides,
})

/** Opens questions against a server that returns the item from lookup `foundAt` on, but refuses every answer to it. */
async function atTerminal(foundAt: number) {
  let lookups = 0
  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET') {
      lookups += 1
      const items = lookups < foundAt ? [] : [{ id: 'item', subjectId: 'approval' }]
      response.end(JSON.stringify({ items }))
    } else {
      response.statusCode = 409
      response.end(JSON.stringify({ error: { code: 'attention_settled', message: 'this item is already answered' } }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY: true }))
  const told: string[] = []
  const asked = new Promise<void>((resolve) =>
    stderr!.on('data', (text) => String(text).includes('Allow it?') && resolve()),
  )
  let heard = () => {}
  const questions = createApprovalQuestions({
    context: { config: readConfig({}), env: {}, json: false, stdin: stdin!, stdout: stdout!, stderr: stderr! },
    client: createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
    tell: async (text) => {
      told.push(text)
      heard()
    },
  })
  /** Resolves when `count` lines have been printed. */
  const tells = (count: number) =>
    new Promise<string[]>((resolve) => {
      heard = () => told.length >= count && resolve(told)
      heard()
    })
  return { questions, asked, told, tells, type: (line: string) => stdin!.write(line) }
}

test('[CL47] asks a question that the server stores only after the run asked it', async () => {
  const { questions, asked } = await atTerminal(3)
  questions.ask(request())
  await asked
  await questions.close()
})

test('[CL47] leaves a question to the page when its item cannot be found', async () => {
  const { questions, tells } = await atTerminal(Number.POSITIVE_INFINITY)
  questions.ask(request())
  expect((await tells(2))[1]).toContain('Answer in the page')
  await questions.close()
})

test('[CL47] prints the refusal when an answer arrives too late', async () => {
  const { questions, asked, tells, type } = await atTerminal(1)
  questions.ask(request())
  await asked
  type('y\n')
  expect((await tells(2))[1]).toBe('this item is already answered')
  await questions.close()
})

test('[CL47] does not ask a question that is already answered', async () => {
  const { questions, told } = await atTerminal(1)
  questions.ask(request())
  questions.answered('approval')
  await questions.close()
  expect(told).toEqual([])
})

test('[CL44] indents every line of a command, its folder and its reason, so none looks like a line of `say`', async () => {
  const { questions, asked, told } = await atTerminal(1)
  questions.ask(request({ action: 'one\ntwo', cwd: '/a\nb', reason: 'c\nd' }))
  await asked
  expect(told[0]).toBe('The Boo wants to run this in /a\\nb:\n  one\n  two\n  (c\\nd)')
  await questions.close()
})
