import { sep } from 'node:path'
import { AGENT_FILE_NAMES } from '@clawboo/core/registry'
import { agentFile, RITUAL_FILE } from '../bootstrap/bootstrap-file.ts'
import { pathRefused, type WorkspaceFiles } from './workspace-files.ts'

/**
 * An agent's own workspace in which its skills, and the files that say who it is, can be read and not written. What it
 * remembers stays writable: memory is something that was written down, and no instruction.
 */
export function withGuardedSelf(files: WorkspaceFiles): WorkspaceFiles {
  const check = async (path: string) => {
    const [first = '', ...below] = folded(await files.name(path)).split(sep)
    if (FOLDERS.has(first) || (below.length === 0 && NAMES.has(first)))
      throw pathRefused(
        path,
        'it says who you are or what you can do, and that changes in a conversation with a person',
      )
  }
  return {
    ...files,
    async stage(path, content) {
      await check(path)
      return files.stage(path, content)
    },
    async remove(path) {
      await check(path)
      return files.remove(path)
    },
  }
}

/** Some disks tell neither capitals nor the old forms of a letter apart. */
function folded(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase()
}

const FOLDERS: ReadonlySet<string> = new Set(['skills', '.agents'])
const NAMES: ReadonlySet<string> = new Set(
  [...AGENT_FILE_NAMES.filter((name) => name !== agentFile('MEMORY')), RITUAL_FILE].map(folded),
)
