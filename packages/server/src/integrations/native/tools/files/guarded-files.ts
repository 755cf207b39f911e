import { sep } from 'node:path'
import { AGENT_FILE_NAMES } from '@clawboo/core/registry'
import { agentFile, RITUAL_FILE } from '../../bootstrap/bootstrap-file.ts'
import { pathRefused, type WorkspaceFiles } from './workspace-files.ts'

/**
 * Makes the agent's skills and identity files read-only. The memory file stays writable: memory is a record, not an
 * instruction.
 */
export function withGuardedSelf(files: WorkspaceFiles): WorkspaceFiles {
  const check = async (path: string) => {
    const [first = '', ...below] = folded(await files.name(path)).split(sep)
    if (FOLDERS.has(first) || (below.length === 0 && NAMES.has(first)))
      throw pathRefused(
        path,
        'it defines who you are or what you can do, and only a conversation with a person can change it',
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

/** Some file systems ignore case and Unicode compatibility forms. */
function folded(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase()
}

const FOLDERS: ReadonlySet<string> = new Set(['skills', '.agents'])
const NAMES: ReadonlySet<string> = new Set(
  [...AGENT_FILE_NAMES.filter((name) => name !== agentFile('MEMORY')), RITUAL_FILE].map(folded),
)
