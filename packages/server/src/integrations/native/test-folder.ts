import { basename, dirname } from 'node:path'
import { containedFiles } from '../../access/contained-path.ts'

/** A folder anywhere, with the host's path checks. */
export function testFolderAt(path: string) {
  return containedFiles(dirname(path), { maxBytes: 1024 * 1024 }).folder(basename(path))
}
