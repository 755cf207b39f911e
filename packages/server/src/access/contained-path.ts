import { randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { chmod, type FileHandle, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import type { WorkspaceListing } from '@clawboo/core/executor'
import { writeWholeFile } from '../write-whole-file.ts'
import { absentAsNull } from './absent-file.ts'
import { listFolder } from './list-folder.ts'

/**
 * Files below one root, addressed by untrusted paths. Refuses everything that could lead out of the root: absolute
 * paths, `..`, NUL, backslashes, symbolic links anywhere in the path, and files with a second hard link.
 */
export interface ContainedFiles {
  /** Returns null when the file does not exist. */
  read(path: string): Promise<Buffer | null>
  /** Replaces the whole file atomically. Creates missing folders. */
  write(path: string, content: string | Buffer): Promise<void>
  /**
   * Removes a file, or a folder with its contents. Does nothing when the path does not exist. Removes links without
   * following them.
   */
  remove(path: string): Promise<void>
  folder(path: string): ContainedFolder
}

/** One folder below the root. Paths are relative to this folder. */
interface ContainedFolder {
  readonly path: string
  /** Opens a plain file for reading; the caller closes it. Returns null when the file does not exist. */
  open(path: string): Promise<FileHandle | null>
  /**
   * Writes a temporary file; `commit` moves it into place. Creates missing folders; refuses links and second hard
   * links.
   */
  stage(path: string, content: string | Buffer): Promise<{ commit(): Promise<void>; discard(): Promise<void> }>
  /** Removes a plain file. Returns false when the file does not exist. */
  remove(path: string): Promise<boolean>
  /**
   * Lists this folder (`''`) or one below it; null when the folder does not exist. Lists links without following them.
   */
  list(path: string, limit: number): Promise<WorkspaceListing | null>
  /**
   * Opens this folder (`''`) or one below it, and keeps it open; null when it does not exist. `at` refers to the same
   * folder even after a move.
   */
  enter(path: string): Promise<{ readonly path: string; readonly at: string; close(): Promise<void> } | null>
}

interface ContainedLimits {
  readonly maxBytes: number
  /**
   * The folder in which the kernel lists open files by number. Without it, a swapped folder is detected afterwards but
   * not prevented.
   */
  readonly descriptors?: string
}

export function containedFiles(root: string, limits: ContainedLimits): ContainedFiles {
  const reach = createReach(root, limits.descriptors ?? '/proc/self/fd')
  return {
    async read(path) {
      const handle = await openBelow(reach, splitContained(path), path)
      return handle && readAndClose(handle, path, limits.maxBytes)
    },
    async write(path, content) {
      await withFolder(reach, splitContained(path), path, { make: 0o700 }, async (folder, name) => {
        await writeWholeFile(join(folder.at, name), content)
      })
    },
    async remove(path) {
      await withFolder(reach, splitContained(path), path, {}, async (folder, name) => {
        await rm(join(folder.at, name), { recursive: true, force: true })
      })
    },
    folder: (path) => containedFolder(root, reach, splitContained(path)),
  }
}

function containedFolder(root: string, reach: Reach, prefix: readonly string[]): ContainedFolder {
  const partsOf = (path: string) => [...prefix, ...splitContained(path)]
  const partsOrSelf = (path: string) => (path === '' ? prefix : partsOf(path))
  return {
    path: join(root, ...prefix),
    open: async (path) => openBelow(reach, partsOf(path), path),
    async stage(path, content) {
      const parts = partsOf(path)
      const name = parts.at(-1)!
      const folder = await reach(parts.slice(0, -1), path, { make: 0o755 })
      if (folder === null) throw refused(path, 'a folder in the path disappeared')
      const staged = join(folder.at, `.${randomBytes(6).toString('hex')}.staged`)
      const discard = async () => {
        await rm(staged, { force: true })
        await folder.close()
      }
      try {
        const mode = await plainFileMode(join(folder.at, name), path)
        await writeWholeFile(staged, content)
        await chmod(staged, mode ?? 0o644)
      } catch (error) {
        await discard()
        throw error
      }
      const commit = async () => {
        await folder.check()
        await rename(staged, join(folder.at, name))
        await folder.close()
      }
      return { commit, discard }
    },
    async remove(path) {
      const removed = await withFolder(reach, partsOf(path), path, {}, async (folder, name) => {
        if ((await plainFileMode(join(folder.at, name), path)) === null) return false
        await unlink(join(folder.at, name))
        return true
      })
      return removed ?? false
    },
    async list(path, limit) {
      const folder = await reach(partsOrSelf(path), path, {})
      if (folder === null) return null
      try {
        const listing = await listFolder(folder.at, limit)
        await folder.check()
        return listing
      } finally {
        await folder.close()
      }
    },
    async enter(path) {
      const parts = partsOrSelf(path)
      const folder = await reach(parts, path, {})
      return folder && { path: join(root, ...parts), at: folder.at, close: folder.close }
    },
  }
}

function splitContained(path: string): string[] {
  if (path === '' || isAbsolute(path) || /[\0\\]/.test(path)) throw refused(path, 'the path is not relative')
  const parts = path.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw refused(path, 'the path leaves its folder')
  return parts
}

/** An open folder that was reached without following a link. `at` is a path to exactly that folder. */
interface ReachedFolder {
  readonly at: string
  /** Rejects when the path now leads to another folder, or when the file was not opened in this folder. */
  check(file?: { readonly name: string; readonly handle: FileHandle }): Promise<void>
  close(): Promise<void>
}

/** Resolves to null when a folder is missing and `make` is not set. */
type Reach = (parts: readonly string[], path: string, options: { make?: number }) => Promise<ReachedFolder | null>

/** Opens each folder from the one above, so that no link can be inserted in between. */
function createReach(root: string, descriptors: string): Reach {
  const byDescriptor = existsSync(descriptors)
  return async (parts, path, options) => {
    if (options.make !== undefined) await mkdir(root, { recursive: true, mode: 0o700 })
    const chain: { readonly place: string; readonly handle: FileHandle }[] = []
    const closeAll = async () => void (await Promise.all(chain.map(({ handle }) => handle.close())))
    const at = () => (byDescriptor ? `${descriptors}/${chain.at(-1)!.handle.fd}` : chain.at(-1)!.place)
    try {
      for (const part of ['', ...parts]) {
        const place = chain.length === 0 ? root : join(at(), part)
        const handle = await openFolder(place, path, chain.length === 0 ? {} : options)
        if (handle === null) {
          await closeAll()
          return null
        }
        chain.push({ place, handle })
      }
    } catch (error) {
      await closeAll()
      throw error
    }
    const check: ReachedFolder['check'] = async (file) => {
      if (byDescriptor) return
      const links = file ? [...chain, { place: join(at(), file.name), handle: file.handle }] : chain
      // Several passes: a path that is swapped back and forth may look correct at one moment.
      for (const { place, handle } of [...links, ...links, ...links]) {
        const [opened, current] = [await handle.stat(), await lstat(place)]
        if (opened.ino !== current.ino || opened.dev !== current.dev)
          throw refused(path, 'a part of the path was swapped')
      }
    }
    return { at: at(), check, close: closeAll }
  }
}

async function openFolder(place: string, path: string, options: { make?: number }): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const opened = () =>
    open(place, flags).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      if (error.code === 'ENOTDIR' || error.code === 'ELOOP') throw refused(path, 'a part of the path is not a folder')
      throw error
    })
  const handle = await opened()
  if (handle !== null || options.make === undefined) return handle
  await mkdir(place, { mode: options.make }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return opened()
}

async function withFolder<T>(
  reach: Reach,
  parts: readonly string[],
  path: string,
  options: { make?: number },
  act: (folder: ReachedFolder, name: string) => Promise<T>,
): Promise<T | null> {
  const folder = await reach(parts.slice(0, -1), path, options)
  if (folder === null) {
    if (options.make === undefined) return null
    throw refused(path, 'a folder in the path disappeared')
  }
  try {
    await folder.check()
    return await act(folder, parts.at(-1)!)
  } finally {
    await folder.close()
  }
}

async function openBelow(reach: Reach, parts: readonly string[], path: string): Promise<FileHandle | null> {
  return withFolder(reach, parts, path, {}, async (folder, name) => {
    const handle = await openPlainFile(join(folder.at, name), path)
    await folder.check(handle === null ? undefined : { name, handle }).catch(async (error) => {
      await handle?.close()
      throw error
    })
    return handle
  })
}

async function openPlainFile(file: string, path: string): Promise<FileHandle | null> {
  // O_NOFOLLOW: the kernel refuses a link created after the checks. O_NONBLOCK: a pipe cannot block the read.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP' || error.code === 'ENXIO') throw refused(path, 'it is not a plain file')
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (handle === null) return null
  const stats = await handle.stat()
  const problem = !stats.isFile() ? 'it is not a plain file' : stats.nlink > 1 ? 'it has a second hard link' : null
  if (problem === null) return handle
  await handle.close()
  throw refused(path, problem)
}

async function readAndClose(handle: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  try {
    if ((await handle.stat()).size > maxBytes) throw refused(path, `it is larger than ${maxBytes} bytes`)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Returns null when nothing exists at this path. */
async function plainFileMode(file: string, path: string): Promise<number | null> {
  const stats = await lstat(file).catch(absentAsNull)
  if (stats === null) return null
  if (!stats.isFile()) throw refused(path, 'it is not a plain file')
  if (stats.nlink > 1) throw refused(path, 'it has a second hard link')
  return stats.mode & 0o777
}

function refused(path: string, why: string): ClawbooError {
  return new ClawbooError('path_refused', `the path "${path.slice(0, 200)}" is refused: ${why}`, {
    details: { path: path.slice(0, 200) },
  })
}
