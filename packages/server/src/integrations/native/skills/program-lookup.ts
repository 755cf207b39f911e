import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Looks each name up once; make one for each turn, so that a program installed meanwhile is found. */
export function createProgramLookup(path: string, pathExtensions: readonly string[] = ['']): (name: string) => boolean {
  // An empty or relative part would look into whatever folder the server was started in.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder))
  const known = new Map<string, boolean>()
  return (name) => {
    // A path is not the name of a program, and would reach beyond PATH.
    if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') return false
    const found =
      known.get(name) ??
      folders.some((folder) => pathExtensions.some((extension) => isExecutable(join(folder, name + extension))))
    known.set(name, found)
    return found
  }
}

function isExecutable(file: string): boolean {
  try {
    // Most folders of PATH lack the program, and an error is dear to make.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
