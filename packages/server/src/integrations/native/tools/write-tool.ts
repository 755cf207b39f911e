import type { InOrder } from '@clawboo/core'
import { defineTool, success } from './define-tool.ts'
import type { WorkspaceFiles } from './files/workspace-files.ts'
import type { Tool } from './tool.ts'

export function createWriteTool(files: WorkspaceFiles, inOrder: InOrder): Tool {
  return defineTool({
    name: 'write',
    description: 'Writes a whole text file. Creates missing folders and replaces an existing file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'File to write, relative to the workspace.' },
        content: { type: 'string', description: 'The whole new text of the file.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    run: (input) =>
      inOrder(async () => {
        const content = input.content as string
        const path = await files.name(input.path as string)
        const staged = await files.stage(input.path as string, content)
        await staged.commit().catch(async (error) => {
          await staged.discard()
          throw error
        })
        const bytes = Buffer.byteLength(content)
        return success(`Wrote ${bytes} bytes to ${path}.`, { path, bytes })
      }),
  })
}
