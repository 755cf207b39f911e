import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { ResolvedProgram, ResolvedPrograms } from './allowlist.ts'

/** Looks up the programs a command names, as its shell will: bare names on the PATH, others from the folder it runs in. */
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
  if (name.includes('/')) {
    const path = resolve(where.cwd, name)
    return (await isProgram(path)) ? { path, real: await realpath(path), onPath: false } : null
  }
  const workspace = await realpath(where.workspace).catch(() => where.workspace)
  for (const folder of where.path.split(':')) {
    // An empty or relative folder means "where the command runs": whatever the agent put there.
    if (!isAbsolute(folder)) continue
    const path = join(folder, name)
    if (!(await isProgram(path))) continue
    const real = await realpath(path)
    return {
      path,
      real,
      onPath: !isInside(workspace, real) && !isInside(workspace, path) && !isInside(where.workspace, path),
    }
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

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || !(way === '..' || way.startsWith('../') || isAbsolute(way))
}
