import { join } from 'node:path'
import type { BootstrapFile } from './fit-bootstrap-files.ts'
import { lookAt } from './look-at-path.ts'
import { createPlainFiles, type PlainFiles } from './plain-file.ts'

/** A larger file counts as missing. */
const MAX_FILE_BYTES = 2 * 1024 * 1024

export function createBootstrapReader(now?: () => number): PlainFiles {
  return createPlainFiles({ maxBytes: MAX_FILE_BYTES, mayBeHardLinked: false, maxKeptChars: 8 * 1024 * 1024, now })
}

/** Reads the named files of a workspace, in the given order. A link out of the workspace counts as missing. */
export async function readBootstrapFiles(
  workspace: string,
  names: readonly string[],
  files: PlainFiles,
): Promise<BootstrapFile[]> {
  const isLink = lookAt(workspace)?.isSymbolicLink() ?? false
  return Promise.all(
    names.map(async (name): Promise<BootstrapFile> => {
      if (/[/\\\0]/.test(name) || name === '..' || name === '.') throw new TypeError(`"${name}" is not a file name`)
      const path = join(workspace, name)
      if (isLink) return { name, path, text: null, absence: 'escapes', bytes: null }
      return { name, path, ...(await files.read(path)) }
    }),
  )
}
