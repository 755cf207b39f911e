import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** Looks up each name once. Create a lookup for each run, so that newly installed programs are found. */
export function createProgramLookup(path: string): (name: string) => boolean {
  // An empty or relative entry would search the folder that the server was started in.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder))
  const known = new Map<string, boolean>()
  return (name) => {
    // A name with a separator could point outside PATH.
    if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') return false
    const found = known.get(name) ?? folders.some((folder) => isExecutable(join(folder, name)))
    known.set(name, found)
    return found
  }
}

function isExecutable(file: string): boolean {
  try {
    // Most folders of PATH do not contain the program, and creating an error is expensive.
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
