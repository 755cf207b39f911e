import { expect, it } from 'vitest'
import { attachConfig } from './attach-snippets.ts'

it('[MC10] a runtime that describes how to attach a server gets a snippet; others get none', () => {
  const { servers, snippets } = attachConfig(['memory', 'tasks'], 'http://127.0.0.1:1', [
    { id: 'plain', label: 'Plain' },
    {
      id: 'made-up',
      label: 'Made up',
      attachMcp: (all) => ({
        where: 'its settings',
        language: 'toml',
        text: all.map(({ name, url }) => `[${name}]\nurl = "${url}"`).join('\n'),
      }),
    },
  ])
  expect(servers.map(({ url }) => url)).toEqual([
    'http://127.0.0.1:1/api/mcp/memory',
    'http://127.0.0.1:1/api/mcp/tasks',
  ])
  expect(snippets.map(({ runtime }) => runtime)).toEqual(['made-up', null, null])
  expect(snippets[0]!.text).toContain('url = "http://127.0.0.1:1/api/mcp/tasks"')
  expect(JSON.parse(snippets[1]!.text)).toEqual({
    mcpServers: {
      'clawboo-memory': { command: 'npx', args: ['clawboo', 'mcp', 'memory'] },
      'clawboo-tasks': { command: 'npx', args: ['clawboo', 'mcp', 'tasks'] },
    },
  })
  expect(JSON.parse(snippets[2]!.text)).toMatchObject({ mcpServers: { 'clawboo-memory': { type: 'http' } } })
})
