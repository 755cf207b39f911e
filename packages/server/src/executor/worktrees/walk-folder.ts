import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'

/** One entry below a folder, never a folder. `path` is relative and raw: the Latin-1 text of its bytes. */
export interface FoundFile {
  readonly path: string
  readonly kind: 'file' | 'link' | 'repository' | 'special'
  readonly size: number
  readonly isExecutable: boolean
}

/** The bytes of a raw path below a folder. */
export const bytesOf = (folder: string, path: string): Buffer =>
  path === ''
    ? Buffer.from(folder)
    : Buffer.concat([Buffer.from(folder), Buffer.from('/'), Buffer.from(path, 'latin1')])

/**
 * Lists everything below a folder without following links. A folder with a `.git` is listed as one `repository`, without
 * its content. The `.git` of the top folder is left out.
 */
export async function* walkFolder(folder: string, below = ''): AsyncGenerator<FoundFile> {
  const names = (await readdir(bytesOf(folder, below), { encoding: 'buffer' })).map((name) => name.toString('latin1'))
  if (below !== '' && names.includes('.git')) {
    yield { path: below, kind: 'repository', size: 0, isExecutable: false }
    return
  }
  for (const name of names.sort()) {
    if (below === '' && name === '.git') continue
    const path = below === '' ? name : `${below}/${name}`
    const found = await lookAt(folder, path)
    if (found === 'folder') yield* walkFolder(folder, path)
    else if (found) yield found
  }
}

/** Returns the entry at a path; null when nothing exists there. Never follows a link at the end of the path. */
export async function lookAt(folder: string, path: string): Promise<FoundFile | 'folder' | null> {
  const stats = await lstat(bytesOf(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (!stats) return null
  if (stats.isDirectory()) return 'folder'
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'special'
  return { path, kind, size: stats.size, isExecutable: (stats.mode & 0o100) !== 0 }
}

/** The id that git gives to the bytes of a file, or to the target of a link, without filters. */
export async function blobIdOf(folder: string, file: FoundFile, format: string): Promise<string> {
  const hash = createHash(format === 'sha256' ? 'sha256' : 'sha1')
  if (file.kind === 'link') {
    const target = await readlink(bytesOf(folder, file.path), { encoding: 'buffer' })
    return hash.update(`blob ${target.length}\0`).update(target).digest('hex')
  }
  hash.update(`blob ${file.size}\0`)
  for await (const chunk of createReadStream(bytesOf(folder, file.path))) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** The mode of a file in a git tree. */
export const modeOf = (file: FoundFile): string =>
  file.kind === 'link' ? '120000' : file.isExecutable ? '100755' : '100644'
