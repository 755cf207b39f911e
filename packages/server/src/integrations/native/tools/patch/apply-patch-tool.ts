import { ClawbooError, type InOrder } from '@clawboo/core'
import type { StagedFile } from '../../../host.ts'
import { defineTool, failure, success } from '../define-tool.ts'
import { readBytes, readTextFile } from '../files/text-file.ts'
import type { WorkspaceFiles } from '../files/workspace-files.ts'
import type { Tool } from '../tool.ts'
import { type PatchHunk, type PatchSection, parsePatch } from './parse-patch.ts'

export function createApplyPatchTool(files: WorkspaceFiles, inOrder: InOrder): Tool {
  return defineTool({
    name: 'apply_patch',
    description:
      'Changes several files in one step, all or none. The patch starts with "*** Begin Patch" and ends with "*** End Patch". In between: "*** Add File: p" with "+" lines, "*** Delete File: p", or "*** Update File: p" (then optionally "*** Move to: q") with hunks that start with "@@" and contain " ", "+" and "-" lines.',
    inputSchema: {
      type: 'object',
      properties: { input: { type: 'string', minLength: 1, description: 'The whole patch.' } },
      required: ['input'],
      additionalProperties: false,
    },
    run: (input) => inOrder(() => applyPatch(files, input.input as string)),
  })
}

/** One file before and after the patch; null = the file does not exist. */
interface FileChange {
  readonly path: string
  readonly before: Buffer | null
  readonly after: string | null
}

async function applyPatch(files: WorkspaceFiles, input: string) {
  const parsed = parsePatch(input)
  if ('problem' in parsed) return failure(`${parsed.problem}. Nothing was changed.`)
  const changes: FileChange[] = []
  const results: { readonly letter: 'A' | 'M' | 'D'; readonly path: string }[] = []
  for (const section of parsed.sections) {
    const computed = await computeSection(files, section)
    if ('problem' in computed) return failure(`${computed.problem}. Nothing was changed.`)
    const twice = computed.changes.find(({ path }) => changes.some((other) => other.path === path))
    if (twice) return failure(`line ${section.line} of the patch: "${twice.path}" is named twice. Nothing was changed.`)
    changes.push(...computed.changes)
    results.push(computed)
  }
  await commitChanges(files, changes)
  const rows = (['A', 'M', 'D'] as const).flatMap((letter) => results.filter((row) => row.letter === letter))
  const text = rows.map(({ letter, path }) => `${letter} ${path}`).join('\n')
  const changed = rows.map(({ letter, path }) => ({ letter, path }))
  return success(`Success. Updated the following files:\n${text}`, { files: changed })
}

type Computed = { readonly letter: 'A' | 'M' | 'D'; readonly path: string; readonly changes: readonly FileChange[] }

async function computeSection(files: WorkspaceFiles, section: PatchSection): Promise<Computed | { problem: string }> {
  const at = `line ${section.line} of the patch`
  const path = await files.name(section.path)
  if (section.kind === 'add') {
    if (await readBytes(files, path)) return { problem: `${at}: "${path}" already exists` }
    return { letter: 'A', path, changes: [{ path, before: null, after: section.content }] }
  }
  const file = section.kind === 'delete' ? await readBytes(files, path) : await readTextFile(files, path)
  if (file === null) return { problem: `${at}: there is no file "${path}"` }
  if (Buffer.isBuffer(file)) return { letter: 'D', path, changes: [{ path, before: file, after: null }] }
  if (section.kind === 'delete') throw new TypeError('a deletion reads bytes')
  const applied = applyHunks(file.text, section.hunks)
  if ('problem' in applied) return { problem: `${applied.problem} ("${path}")` }
  const after = file.restore(applied.text)
  const target = section.moveTo === null ? path : await files.name(section.moveTo)
  if (target === path) return { letter: 'M', path, changes: [{ path, before: file.bytes, after }] }
  if (await readBytes(files, target)) return { problem: `${at}: "${target}" already exists` }
  const changes = [
    { path: target, before: null, after },
    { path, before: file.bytes, after: null },
  ]
  return { letter: 'M', path: target, changes }
}

/** Writes every new text to disk before it replaces the first file. If a replacement fails, undoes the earlier ones. */
async function commitChanges(files: WorkspaceFiles, changes: readonly FileChange[]): Promise<void> {
  const staged = new Map<FileChange, StagedFile>()
  const done: FileChange[] = []
  try {
    for (const change of changes) {
      if (change.after !== null) staged.set(change, await files.stage(change.path, change.after))
    }
    await checkUnchanged(files, changes)
    for (const change of changes) {
      if (change.after === null) await files.remove(change.path)
      else await staged.get(change)!.commit()
      staged.delete(change)
      done.push(change)
    }
  } catch (error) {
    for (const rest of staged.values()) await rest.discard()
    for (const { path, before } of done.reverse()) {
      if (before === null) await files.remove(path)
      else await (await files.stage(path, before)).commit()
    }
    throw error
  }
}

/** A person may have saved one of the files in an editor; replacing it would silently undo that. */
async function checkUnchanged(files: WorkspaceFiles, changes: readonly FileChange[]): Promise<void> {
  for (const { path, before } of changes) {
    const now = await readBytes(files, path)
    if (before === null ? now === null : now?.equals(before)) continue
    throw new ClawbooError(
      'file_revision_stale',
      `"${path}" was changed by someone else in the meantime. This call changed nothing.`,
    )
  }
}

/** Applies the hunks of one update in order. A problem names the line of the patch. */
export function applyHunks(
  original: string,
  hunks: readonly PatchHunk[],
): { readonly text: string } | { readonly problem: string } {
  const endsInNewline = original.endsWith('\n') || original === ''
  const lines = original === '' ? [] : (endsInNewline ? original.slice(0, -1) : original).split('\n')
  const result: string[] = []
  let cursor = 0
  for (const hunk of hunks) {
    let from = cursor
    if (hunk.context !== null) {
      const found = findLines(lines, [hunk.context], cursor, false)
      if (found === -1)
        return { problem: `line ${hunk.line} of the patch: "${hunk.context}" was not found in the file` }
      from = found + 1
    }
    const before = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    const start =
      before.length === 0 ? (hunk.context === null ? lines.length : from) : findLines(lines, before, from, hunk.atEnd)
    if (start === -1) {
      const where = hunk.atEnd ? 'at the end of the file' : 'in the file'
      return {
        problem: `line ${hunk.line} of the patch: its lines were not found ${where}, starting with "${before[0]}"`,
      }
    }
    result.push(...lines.slice(cursor, start))
    cursor = start
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') result.push(text)
      // Keep unchanged lines as they are in the file: the patch may have lost their trailing spaces.
      else if (mark === ' ') result.push(lines[cursor++]!)
      else cursor++
    }
  }
  result.push(...lines.slice(cursor))
  return { text: result.length === 0 ? '' : result.join('\n') + (endsInNewline ? '\n' : '') }
}

/** Searches for an exact match first, then ignores trailing spaces, then leading spaces too. -1 = not found. */
function findLines(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): number {
  const last = lines.length - wanted.length
  for (const same of [(text: string) => text, (text: string) => text.trimEnd(), (text: string) => text.trim()]) {
    const target = wanted.map(same)
    for (let start = atEnd ? Math.max(from, last) : from; start <= last; start++) {
      if (target.every((text, index) => same(lines[start + index]!) === text)) return start
    }
  }
  return -1
}
