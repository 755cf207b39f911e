import { isAbsolute, relative } from 'node:path'

/** Whether a path is a folder or lies in it, as both are written. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}
