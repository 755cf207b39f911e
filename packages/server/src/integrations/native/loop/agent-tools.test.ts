import type { JSONSchema7 } from 'json-schema'
import { expect, it } from 'vitest'
import { defineTool, success } from '../tools/define-tool.ts'
import { createAgentTools } from './agent-tools.ts'

const context = { callId: 'c', signal: new AbortController().signal, askApproval: async () => 'deny' as const }
const call = (name: string, input: Record<string, unknown> = {}, id = 'c') =>
  ({ type: 'toolCall', id, name, arguments: input }) as const
const schema: JSONSchema7 = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tools = () =>
  createAgentTools({
    tools: [
      defineTool({ name: 'read', description: 'Reads.', inputSchema: schema, run: async () => success('text') }),
      defineTool({
        name: 'break',
        description: 'Breaks.',
        inputSchema: { type: 'object' },
        run: () => Promise.reject(new TypeError('a mistake')),
      }),
    ],
    resultMaxChars: 1_000,
    view: { level: 'off', home: '/home' },
  })

it('[NR415] a call to a tool that was not offered gets the names of the tools that were', async () => {
  const subject = tools()
  const result = await subject.run(call('fly'), context)
  expect(result).toMatchObject({ isError: true })
  expect(JSON.stringify(result.content)).toContain('read, break')
  expect(subject.faultOf('c')).toBe('unknown_tool')
})

it('[NR416] invalid or unparsable arguments get an error that explains the problem, and the tool does not run', async () => {
  const subject = tools()
  expect(await subject.run(call('read'), context)).toMatchObject({ isError: true })
  expect(subject.faultOf('c')).toBe('invalid_arguments')
  subject.noteBadArguments({ d: '{"path": ' })
  expect(subject.faultOf('c')).toBeNull()
  expect(JSON.stringify(await subject.run(call('read', {}, 'd'), context))).toContain('not a JSON object')
  expect(await subject.run(call('read', { path: 'x' }, 'e'), context)).toMatchObject({ isError: false })
})

it('[NR417] a tool that throws still gives its call a result', async () => {
  expect(JSON.stringify(await tools().run(call('break'), context))).toContain(
    'The tool failed unexpectedly: TypeError: a mistake',
  )
})
