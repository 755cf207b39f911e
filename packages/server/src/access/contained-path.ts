import { constants } from 'node:fs'
import { lstat, mkdir, open, rm } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { writeWholeFile } from '../write-whole-file.ts'

/**
 * Files below one root, reached by paths that came from outside. Refuses all that could lead out of the root: absolute
 * paths, `..`, NUL, backslashes, symbolic links on the way or at the end, and files with a second hard link.
 */
export interface ContainedFiles {
  /** null when there is no such file. */
  read(path: string): Promise<Buffer | null>
  /** Swaps the whole file in, so that no reader sees half of it. Makes missing folders. */
  write(path: string, content: string | Buffer): Promise<void>
  /** Removes a file, or a folder and all below it; nothing happens when it is not there. Links are removed, not followed. */
  remove(path: string): Promise<void>
}

export function containedFiles(root: string, limits: { readonly maxBytes: number }): ContainedFiles {
  return {
    async read(path) {
      const parts = splitContained(path)
      if (!(await walkFolders(root, parts, path))) return null
      return readPlainFile(join(root, ...parts), path, limits.maxBytes)
    },
    async write(path, content) {
      const parts = splitContained(path)
      await makeFolders(root, parts, path)
      await writeWholeFile(join(root, ...parts), content)
    },
    async remove(path) {
      const parts = splitContained(path)
      if (await walkFolders(root, parts, path)) await rm(join(root, ...parts), { recursive: true, force: true })
    },
  }
}

function splitContained(path: string): string[] {
  if (path === '' || isAbsolute(path) || /[\0\\]/.test(path)) throw refused(path, 'it is not a relative path')
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw refused(path, 'it leaves its folder')
  return parts
}

/** False when a folder on the way is missing. */
async function walkFolders(root: string, parts: readonly string[], path: string): Promise<boolean> {
  let folder = root
  for (const part of ['', ...parts.slice(0, -1)]) {
    folder = join(folder, part)
    const stats = await lstat(folder).catch(absentAsNull)
    if (stats === null) return false
    if (!stats.isDirectory()) throw refused(path, 'a part of the path is not a folder')
  }
  return true
}

/** Looks at each folder before it goes below it: making folders through a link would already be outside. */
async function makeFolders(root: string, parts: readonly string[], path: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  for (let depth = 1; depth < parts.length; depth++) {
    await walkFolders(root, parts.slice(0, depth), path)
    await mkdir(join(root, ...parts.slice(0, depth)), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  if (!(await walkFolders(root, parts, path))) throw refused(path, 'a folder on the way vanished')
}

async function readPlainFile(file: string, path: string, maxBytes: number): Promise<Buffer | null> {
  // O_NOFOLLOW: the kernel refuses a link put there after the checks. O_NONBLOCK: a pipe cannot hang the read.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP' || error.code === 'ENXIO') throw refused(path, 'it is not a plain file')
    return absentAsNull(error)
  })
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw refused(path, 'it is not a plain file')
    if (stats.nlink > 1) throw refused(path, 'it has a second hard link')
    if (stats.size > maxBytes) throw refused(path, `it is larger than ${maxBytes} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

function refused(path: string, why: string): ClawbooError {
  return new ClawbooError('path_refused', `path "${path.slice(0, 200)}" is refused: ${why}`, {
    details: { path: path.slice(0, 200) },
  })
}
