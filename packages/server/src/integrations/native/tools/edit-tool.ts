import type { InOrder } from '@clawboo/core'
import { applyEdits, type TextEdit } from './apply-edits.ts'
import { defineTool, failure, success } from './define-tool.ts'
import { readBytes, readTextFile } from './files/text-file.ts'
import type { WorkspaceFiles } from './files/workspace-files.ts'
import type { Tool } from './tool.ts'

export function createEditTool(files: WorkspaceFiles, inOrder: InOrder): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces pieces of a text file. Every oldText must occur exactly once in the file as it is before this call, and the pieces must not overlap.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'File to edit, relative to the workspace.' },
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 1000,
          items: {
            type: 'object',
            properties: {
              oldText: { type: 'string', minLength: 1, description: 'Exact text, unique in the file.' },
              newText: { type: 'string', description: 'The replacement.' },
            },
            required: ['oldText', 'newText'],
            additionalProperties: false,
          },
        },
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    run: (input) => inOrder(() => edit(files, input.path as string, input.edits as readonly TextEdit[])),
  })
}

async function edit(files: WorkspaceFiles, path: string, edits: readonly TextEdit[]) {
  const name = await files.name(path)
  const file = await readTextFile(files, path)
  if (file === null) return failure(`There is no file "${name}".`)
  const crlf = file.restore('\n') !== '\n'
  const plain = (text: string) => (crlf ? text.replaceAll('\r\n', '\n') : text)
  const edited = applyEdits(
    file.text,
    edits.map(({ oldText, newText }) => ({ oldText: plain(oldText), newText: plain(newText) })),
  )
  if ('problem' in edited) return failure(`${edited.problem}. Nothing was changed in "${name}".`)
  const staged = await files.stage(path, file.restore(edited.text))
  try {
    // A person may have saved the file in an editor; replacing it would silently undo that.
    if (!(await readBytes(files, path))?.equals(file.bytes)) {
      await staged.discard()
      return failure(
        `"${name}" was changed by someone else in the meantime. This call changed nothing; read the file again.`,
      )
    }
    await staged.commit()
  } catch (error) {
    await staged.discard()
    throw error
  }
  const pieces = edits.length === 1 ? 'one piece' : `${edits.length} pieces`
  return success(`Replaced ${pieces} of ${name}.`, { path: name, changes: edited.changes })
}
