import { ClawbooError } from '@clawboo/core'
import type { ContentBlock } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defineTool, type ToolTable } from './tool-table.ts'

const nothing = z.strictObject({})
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

const text: ContentBlock = { type: 'text', text: 'This is a simple text response for testing.' }
const image: ContentBlock = { type: 'image', data: PIXEL, mimeType: 'image/png' }
const audio: ContentBlock = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' }
const resource: ContentBlock = {
  type: 'resource',
  resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'This is an embedded resource.' },
}

/** The tools that the conformance suite expects, and tools that identify the caller, wait, and fail in every way. */
export function createFixtureTable(): ToolTable & { readonly waits: { started: number; aborted: number } } {
  const waits = { started: 0, aborted: 0 }
  return {
    name: 'fixture',
    instructions: 'For tests only.',
    waits,
    tools: [
      shows('test_simple_text', [text]),
      shows('test_image_content', [image]),
      shows('test_audio_content', [audio]),
      shows('test_embedded_resource', [resource]),
      shows('test_multiple_content_types', [text, image, resource]),
      fails('test_error_handling', () => {
        throw new ClawbooError('agent_busy', 'this tool always fails')
      }),
      fails('fixture_inner', () => {
        throw new ClawbooError('store_unavailable', 'cannot open /secret/place')
      }),
      fails('fixture_mistake', () => {
        throw new TypeError('the password is hunter2')
      }),
      fails('fixture_wrong_answer', () => ({ leak: 'hunter2' })),
      whoTool,
      waitTool(waits),
    ],
  }
}

const whoTool = defineTool({
  name: 'fixture_who',
  title: 'Who calls',
  description: 'Returns the caller as the server sees it.',
  input: z.strictObject({ word: z.string().max(100).optional() }),
  output: z.strictObject({ caller: z.string(), word: z.string().nullable() }),
  annotations,
  handler: async (caller, { word = null }) => ({
    caller: caller.kind === 'operator' ? 'operator' : `${caller.agentId}/${caller.teamId}/${caller.runId}`,
    word,
  }),
})

const waitTool = (waits: { started: number; aborted: number }) =>
  defineTool({
    name: 'fixture_wait',
    title: 'Wait',
    description: 'Waits until it is cancelled.',
    input: nothing,
    output: nothing,
    annotations,
    handler: (_, __, signal) =>
      new Promise((_, reject) => {
        waits.started++
        signal.addEventListener('abort', () => {
          waits.aborted++
          reject(signal.reason)
        })
      }),
  })

function shows(name: string, content: ContentBlock[]) {
  return defineTool({
    name,
    title: name,
    description: `Answers with ${content.map(({ type }) => type).join(', ')}.`,
    input: nothing,
    output: nothing,
    annotations,
    handler: async () => ({}),
    content: () => content,
  })
}

function fails(name: string, fail: () => unknown) {
  return defineTool({
    name,
    title: name,
    description: 'Fails.',
    input: nothing,
    output: nothing,
    annotations,
    handler: async () => fail() as Record<string, never>,
  })
}
