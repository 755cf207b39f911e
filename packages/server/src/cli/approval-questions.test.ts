import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { createClient } from '@clawboo/api/client'
import type { ApprovalRequestEvent } from '@clawboo/core/executor'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createApprovalQuestions } from './approval-questions.ts'

const request = (overrides: Partial<ApprovalRequestEvent> = {}): ApprovalRequestEvent => ({
  type: 'approval-request',
  approvalId: 'approval',
  callId: 'call',
  tool: 'exec',
  action: 'ls',
  cwd: '/here',
  reason: 'it is not known',
  mayAlwaysAllow: false,
  ...overrides,
})

/** A server that finds the item from its `foundAt`th look on and has settled it already. */
async function atTerminal(foundAt: number) {
  let looks = 0
  const server = createServer((incoming, response) => {
    if (incoming.method === 'GET') {
      looks += 1
      const items = looks < foundAt ? [] : [{ id: 'item', subjectId: 'approval' }]
      response.end(JSON.stringify({ items }))
    } else {
      response.statusCode = 409
      response.end(JSON.stringify({ error: { code: 'attention_settled', message: 'this was answered already' } }))
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
  /** Resolves when so many lines are told. */
  const tells = (count: number) =>
    new Promise<string[]>((resolve) => {
      heard = () => told.length >= count && resolve(told)
      heard()
    })
  return { questions, asked, told, tells, type: (line: string) => stdin!.write(line) }
}

test('[CL47] a question that is stored only after it was asked is asked all the same', async () => {
  const { questions, asked } = await atTerminal(3)
  questions.ask(request())
  await asked
  await questions.close()
})

test('[CL47] a question that is found nowhere is left to the page', async () => {
  const { questions, tells } = await atTerminal(Number.POSITIVE_INFINITY)
  questions.ask(request())
  expect((await tells(2))[1]).toContain('Answer it in the page')
  await questions.close()
})

test('[CL47] an answer that comes too late breaks nothing off', async () => {
  const { questions, asked, tells, type } = await atTerminal(1)
  questions.ask(request())
  await asked
  type('y\n')
  expect((await tells(2))[1]).toBe('this was answered already')
  await questions.close()
})

test('[CL47] a question that was answered before it could be asked is not asked', async () => {
  const { questions, told } = await atTerminal(1)
  questions.ask(request())
  questions.answered('approval')
  await questions.close()
  expect(told).toEqual([])
})

test('[CL44] no line of a command, its folder or its reason stands where the lines of `say` begin', async () => {
  const { questions, asked, told } = await atTerminal(1)
  questions.ask(request({ action: 'one\ntwo', cwd: '/a\nb', reason: 'c\nd' }))
  await asked
  expect(told[0]).toBe('It asks to run this in /a\\nb:\n  one\n  two\n  (c\\nd)')
  await questions.close()
})
