import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { ResolvedProgram, ResolvedPrograms } from './allowlist.ts'
import { isInside } from './inside-folder.ts'

/** Finds programs as a shell does: bare names on the PATH, other names relative to the folder of the command. */
export async function resolvePrograms(
  names: readonly string[],
  where: { readonly path: string; readonly cwd: string; readonly workspace: string },
): Promise<ResolvedPrograms> {
  const found = await Promise.all(names.map(async (name) => [name, await resolveProgram(name, where)] as const))
  return new Map(found)
}

async function resolveProgram(
  name: string,
  where: { readonly path: string; readonly cwd: string; readonly workspace: string },
): Promise<ResolvedProgram | null> {
  const workspaces = [where.workspace, await realpath(where.workspace).catch(() => where.workspace)]
  const found = async (path: string, bare: boolean): Promise<ResolvedProgram> => {
    const real = await realpath(path)
    const inWorkspace = workspaces.some((folder) => isInside(folder, path) || isInside(folder, real))
    return { path, real, inWorkspace, onPath: bare && !inWorkspace }
  }
  if (name.includes('/')) {
    const path = resolve(where.cwd, name)
    return (await isProgram(path)) ? found(path, false) : null
  }
  for (const folder of where.path.split(':')) {
    // An empty or relative entry is the folder of the command, which the agent can fill.
    if (!isAbsolute(folder)) continue
    const path = join(folder, name)
    if (await isProgram(path)) return found(path, true)
  }
  return null
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
