import type { InOrder } from '@clawboo/core'
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

interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

interface EditChange {
  /** Line in the original, counted from 1. */
  readonly line: number
  readonly removedLines: number
  readonly addedLines: number
}

/**
 * Replaces every `oldText`, each of which must occur exactly once in the original. Searches only the original, never the
 * result of another edit, and refuses overlapping edits. Applies all edits or none.
 */
export function applyEdits(
  original: string,
  edits: readonly TextEdit[],
): { readonly text: string; readonly changes: readonly EditChange[] } | { readonly problem: string } {
  const found: { readonly start: number; readonly end: number; readonly edit: TextEdit; readonly number: number }[] = []
  for (const [index, edit] of edits.entries()) {
    const label = edits.length === 1 ? 'oldText' : `edits[${index}].oldText`
    if (edit.oldText === '') return { problem: `${label} is empty` }
    const start = original.indexOf(edit.oldText)
    if (start === -1)
      return { problem: `${label} is not in the file; it must match exactly, spaces and newlines included` }
    const second = original.indexOf(edit.oldText, start + 1)
    if (second !== -1) {
      const [first, other] = [lineAt(original, start), lineAt(original, second)]
      return {
        problem: `${label} occurs more than once in the file (lines ${first} and ${other}); add surrounding lines`,
      }
    }
    if (edit.oldText === edit.newText) return { problem: `${label} and its newText are the same` }
    found.push({ start, end: start + edit.oldText.length, edit, number: index })
  }
  found.sort((a, b) => a.start - b.start)
  const clash = found.findIndex((item, at) => at > 0 && item.start < found[at - 1]!.end)
  if (clash !== -1) return { problem: `edits[${found[clash - 1]!.number}] and edits[${found[clash]!.number}] overlap` }
  let text = ''
  let position = 0
  for (const { start, end, edit } of found) {
    text += original.slice(position, start) + edit.newText
    position = end
  }
  const changes = found.map(({ start, edit }) => ({
    line: lineAt(original, start),
    removedLines: edit.oldText.split('\n').length,
    addedLines: edit.newText === '' ? 0 : edit.newText.split('\n').length,
  }))
  return { text: text + original.slice(position), changes }
}

function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
