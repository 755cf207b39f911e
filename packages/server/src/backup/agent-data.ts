import type { Dirent } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { containedFiles } from '../access/contained-path.ts'
import { type BackupFile, MAX_BACKUP_FILE_BYTES, MAX_BACKUP_TRANSCRIPT_BYTES } from './backup-format.ts'

/**
 * The parts of an agent's folder that a backup includes: its workspace, its transcripts, and the commands that a person
 * always allows. A runtime may store its own sign-in beside them, which must not enter a backup.
 */
const PARTS: Readonly<Record<string, { readonly isFolder: boolean; readonly maxBytes: number }>> = {
  'exec-approvals.json': { isFolder: false, maxBytes: MAX_BACKUP_FILE_BYTES },
  sessions: { isFolder: true, maxBytes: MAX_BACKUP_TRANSCRIPT_BYTES },
  workspace: { isFolder: true, maxBytes: MAX_BACKUP_FILE_BYTES },
}

/** Returns `<runtime>/<agent>/<part>` for every existing part. */
async function listParts(root: string): Promise<string[]> {
  const found: string[] = []
  for (const runtime of await folders(root)) {
    for (const agent of await folders(join(root, runtime))) {
      for (const { name, ...entry } of await namedEntries(join(root, runtime, agent)))
        if (Object.hasOwn(PARTS, name) && entry.isFolder === PARTS[name]!.isFolder)
          found.push(`${runtime}/${agent}/${name}`)
    }
  }
  return found
}

/**
 * Yields every plain file of every agent, and the path of each file that is too large or not plain as `leftOut`.
 * Follows no link.
 */
export async function* readAgentData(root: string): AsyncGenerator<BackupFile | { readonly leftOut: string }> {
  for (const part of await listParts(root)) {
    const { isFolder, maxBytes } = PARTS[partOf(part)]!
    const files = containedFiles(root, { maxBytes })
    for await (const path of isFolder ? walk(root, part) : [part]) {
      try {
        const stats = await lstat(join(root, path))
        const content = await files.read(path)
        if (content === null) continue
        yield { file: path, executable: (stats.mode & 0o100) !== 0, base64: content.toString('base64') }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
        if (!(error instanceof ClawbooError)) throw error
        yield { leftOut: path }
      }
    }
  }
}

export async function writeAgentData(root: string, { file, executable, base64 }: BackupFile): Promise<void> {
  const part = Object.hasOwn(PARTS, partOf(file)) ? PARTS[partOf(file)]! : null
  const below = file.split('/').length - 3
  if (!part || (part.isFolder ? below < 1 : below !== 0))
    throw new ClawbooError('backup_unreadable', `it contains a file that is not an agent's data: ${file.slice(0, 200)}`)
  await containedFiles(root, { maxBytes: part.maxBytes }).write(file, Buffer.from(base64, 'base64'))
  if (executable) await chmod(join(root, file), 0o700)
}

/** Moves the data of every agent to another root on the same disk; everything else stays. */
export async function moveAgentData(from: string, to: string): Promise<number> {
  const parts = await listParts(from)
  for (const part of parts) {
    await mkdir(dirname(join(to, part)), { recursive: true, mode: 0o700 })
    await rm(join(to, part), { recursive: true, force: true })
    await rename(join(from, part), join(to, part))
    await removeIfEmpty(dirname(join(from, part)))
  }
  return parts.length
}

function partOf(path: string): string {
  return path.split('/')[2] ?? ''
}

async function* walk(root: string, folder: string): AsyncGenerator<string> {
  for (const entry of await entries(join(root, folder))) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, path)
    else yield path
  }
}

async function folders(folder: string): Promise<string[]> {
  return (await namedEntries(folder)).filter(({ isFolder }) => isFolder).map(({ name }) => name)
}

async function namedEntries(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  return (await entries(folder)).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
}

async function entries(folder: string): Promise<Dirent[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}
