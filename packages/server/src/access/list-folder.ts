import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkspaceEntry, WorkspaceListing } from '@clawboo/core/executor'
import { absentAsNull } from './absent-file.ts'

/** A folder may contain millions of names. The listing sorts at most this many. */
const MAX_NAMES = 20_000

/** Lists a folder: subfolders first, then by name. Follows no link. */
export async function listFolder(at: string, limit: number): Promise<WorkspaceListing> {
  const { found, hasMore } = await readNames(at)
  // Created here and not at module level: the first use of `Intl` loads several megabytes.
  const byName = new Intl.Collator('en', { numeric: true })
  found.sort(
    (one, other) =>
      Number(other.isDirectory()) - Number(one.isDirectory()) ||
      byName.compare(one.name, other.name) ||
      (one.name < other.name ? -1 : 1),
  )
  const entries = await Promise.all(found.slice(0, limit).map(({ name }) => lookAtEntry(at, name)))
  return { entries: entries.filter((entry) => entry !== null), truncated: hasMore || found.length > limit }
}

async function readNames(at: string): Promise<{ found: Dirent[]; hasMore: boolean }> {
  const found: Dirent[] = []
  for await (const entry of await opendir(at, { bufferSize: 256 })) {
    if (found.length === MAX_NAMES) return { found, hasMore: true }
    found.push(entry)
  }
  return { found, hasMore: false }
}

/** Returns null when the entry no longer exists. */
async function lookAtEntry(at: string, name: string): Promise<WorkspaceEntry | null> {
  const stats = await lstat(join(at, name)).catch(absentAsNull)
  if (stats === null) return null
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other'
  return { name, kind, bytes: kind === 'file' ? stats.size : null, modifiedAt: Math.round(stats.mtimeMs) }
}
