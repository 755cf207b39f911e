import { existsSync } from 'node:fs'
import { copyFile, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { raw } from '../store/sql.ts'
import { openSqlite } from '../store/sqlite/open-sqlite.ts'
import type { BackupHeader } from './backup-format.ts'
import { insertBackup } from './insert-backup.ts'
import { syncFolder } from './sync-folder.ts'

/** Builds a new database from a backup, under a name that nothing reads. */
export async function buildSqlite(fresh: string, backup: string, header: BackupHeader): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(fresh + ending, { force: true })
  const db = await openSqlite(fresh)
  try {
    await db.transaction((tx) => insertBackup(tx, backup, header))
    const [verdict] = await db.all<{ quickCheck: string }>(raw('PRAGMA quick_check'))
    if (verdict?.quickCheck !== 'ok')
      throw new ClawbooError('store_unavailable', `the restored database is damaged: ${verdict?.quickCheck}`)
  } finally {
    await db.close()
  }
}

/** Atomically replaces `current` with `fresh` and keeps the old database as `kept`. Requires the home lock. */
export async function swapSqlite(fresh: string, current: string, kept: string): Promise<boolean> {
  const replaces = existsSync(current)
  if (replaces) {
    await settleWriteAheadLog(current, kept)
    // A second link instead of a rename: at no moment is the database missing.
    await link(current, kept).catch(() => copyFile(current, kept))
  }
  await syncFile(fresh)
  await rename(fresh, current)
  await syncFolder(dirname(current))
  return replaces
}

/** Otherwise SQLite would apply the old database's log to the new one and corrupt it. */
async function settleWriteAheadLog(current: string, kept: string): Promise<void> {
  const log = `${current}-wal`
  if (!existsSync(log)) return
  // Copy first: SQLite may delete the log of a database that it cannot open.
  await copyFile(log, `${kept}-wal`)
  const opened = await openSqlite(current).catch(() => null)
  await opened?.close()
  if (opened === null) {
    for (const ending of ['-wal', '-shm']) await rm(current + ending, { force: true })
    return
  }
  await rm(`${kept}-wal`)
  if (existsSync(log))
    throw new ClawbooError(
      'store_unavailable',
      'another program has the database open; close that program and try again',
    )
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
