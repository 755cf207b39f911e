import { isAbsolute, relative } from 'node:path'

/** Whether a path is the folder or inside it. Compares text only, without resolving links. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}
