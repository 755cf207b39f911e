import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, realpath, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { checkSpelling, pathRefused, type WorkspaceFiles } from './workspace-files.ts'

/**
 * Access to all files of the machine, with links followed, for an agent whose operator lifted the restriction to the
 * workspace. Relative paths are resolved in the workspace.
 */
export function createUnconfinedFiles(root: string): WorkspaceFiles {
  const place = (path: string) => {
    checkSpelling(path)
    return resolve(root, path)
  }
  return {
    root,
    async name(path) {
      const absolute = place(path)
      const inside = relative(root, absolute)
      return inside === '..' || inside.startsWith(`..${sep}`) ? absolute : inside
    },
    async open(path) {
      // O_NONBLOCK keeps a pipe from blocking the read.
      const handle = await open(place(path), constants.O_RDONLY | constants.O_NONBLOCK).catch(absentAsNull)
      if (handle === null || (await handle.stat()).isFile()) return handle
      await handle.close()
      throw pathRefused(path, 'it is not a regular file')
    },
    async stage(path, content) {
      const named = place(path)
      const target = (await realpath(named).catch(absentAsNull)) ?? named
      const present = await stat(target).catch(absentAsNull)
      if (present && !present.isFile()) throw pathRefused(path, 'it is not a regular file')
      await mkdir(dirname(target), { recursive: true })
      const staged = join(dirname(target), `.${randomBytes(6).toString('hex')}.staged`)
      const discard = () => rm(staged, { force: true })
      try {
        await writeFile(staged, content, { flag: 'wx' })
        if (present) await chmod(staged, present.mode & 0o777)
      } catch (error) {
        await discard()
        throw error
      }
      return { commit: () => rename(staged, target), discard }
    },
    async remove(path) {
      const present = await lstat(place(path)).catch(absentAsNull)
      if (present?.isDirectory()) throw pathRefused(path, 'it is not a regular file')
      if (present) await unlink(place(path))
      return present !== null
    },
    async enter(path) {
      const found = await realpath(place(path)).catch(absentAsNull)
      if (found === null) return null
      if (!(await stat(found)).isDirectory()) throw pathRefused(path, 'it is not a folder')
      return { path: found, at: found, close: async () => {} }
    },
  }
}

function absentAsNull(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
