import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isHeader, parseLine } from './entry.ts'
import type { SessionEntry } from './session-entry.ts'
import { readAt } from './transcript-lines.ts'

const HEADER_MAX_BYTES = 64 * 1024

export interface ListedTranscript {
  /** The key in the transcript's header, or one derived from the session id. */
  readonly key: string
  readonly entry: SessionEntry
}

/** Lists the transcripts of a folder with an index entry for each. Archived transcripts are left out. */
export async function listTranscripts(folder: string): Promise<readonly ListedTranscript[]> {
  const names = await readdir(folder).catch(() => [])
  const listed: ListedTranscript[] = []
  for (const name of names.sort()) {
    const sessionId = /^([A-Za-z0-9_-]{1,100})\.jsonl$/.exec(name)?.[1]
    if (sessionId === undefined) continue
    const transcript = await describe(join(folder, name), sessionId)
    if (transcript) listed.push(transcript)
  }
  return listed
}

async function describe(file: string, sessionId: string): Promise<ListedTranscript | null> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(file, flags).catch(() => null)
  if (handle === null) return null
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) return null
    const start = (await readAt(handle, 0, Math.min(stat.size, HEADER_MAX_BYTES))).toString('utf8')
    const header = parseLine(start.split('\n', 1)[0]!)
    const changedAt = Math.floor(stat.mtimeMs)
    const startedAt = isHeader(header) ? Date.parse(header.timestamp) || changedAt : changedAt
    const key = isHeader(header) && typeof header.sessionKey === 'string' ? header.sessionKey : `session:${sessionId}`
    const times = { sessionStartedAt: startedAt, lastInteractionAt: changedAt, updatedAt: changedAt }
    return { key, entry: { sessionId, ...times } }
  } catch {
    return null
  } finally {
    await handle.close()
  }
}
