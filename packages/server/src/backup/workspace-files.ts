import type { Dirent } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { containedFiles } from '../access/contained-path.ts'
import { type BackupFile, MAX_BACKUP_FILE_BYTES } from './backup-format.ts'

/** Beside it a runtime may keep its own sign-in, which must not get into a backup. */
const WORKSPACE = 'workspace'

/** `<runtime>/<agent>/workspace` for every agent that has one. */
export async function listWorkspaces(root: string): Promise<string[]> {
  const found: string[] = []
  for (const runtime of await folders(root)) {
    for (const agent of await folders(join(root, runtime))) {
      if ((await folders(join(root, runtime, agent))).includes(WORKSPACE))
        found.push(`${runtime}/${agent}/${WORKSPACE}`)
    }
  }
  return found
}

/** Every plain file of every workspace; what is too large or not plain comes as `leftOut`. Follows no link. */
export async function* readWorkspaces(root: string): AsyncGenerator<BackupFile | { readonly leftOut: string }> {
  const files = containedFiles(root, { maxBytes: MAX_BACKUP_FILE_BYTES })
  for (const workspace of await listWorkspaces(root)) {
    for await (const path of walk(root, workspace)) {
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

export async function writeWorkspaceFile(root: string, { file, executable, base64 }: BackupFile): Promise<void> {
  const [, , folder, ...rest] = file.split('/')
  if (folder !== WORKSPACE || rest.length === 0)
    throw new ClawbooError('backup_unreadable', `it holds a file outside of a workspace: ${file.slice(0, 200)}`)
  await containedFiles(root, { maxBytes: MAX_BACKUP_FILE_BYTES }).write(file, Buffer.from(base64, 'base64'))
  if (executable) await chmod(join(root, file), 0o700)
}

/** Moves every workspace of one root into another on the same disk; what else lies in the roots stays. */
export async function moveWorkspaces(from: string, to: string): Promise<number> {
  const workspaces = await listWorkspaces(from)
  for (const workspace of workspaces) {
    await mkdir(dirname(join(to, workspace)), { recursive: true, mode: 0o700 })
    await rm(join(to, workspace), { recursive: true, force: true })
    await rename(join(from, workspace), join(to, workspace))
    await removeIfEmpty(dirname(join(from, workspace)))
  }
  return workspaces.length
}

async function* walk(root: string, folder: string): AsyncGenerator<string> {
  for (const entry of await entries(join(root, folder))) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, path)
    else yield path
  }
}

async function folders(folder: string): Promise<string[]> {
  return (await entries(folder)).filter((entry) => entry.isDirectory()).map((entry) => entry.name)
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
