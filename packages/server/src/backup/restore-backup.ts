import { rm } from 'node:fs/promises'
import { ClawbooError } from '@clawboo/core'
import { homeFiles, makeHome } from '../home.ts'
import { takeHomeLock } from '../store/sqlite/home-lock.ts'
import { StoreConflict } from '../store/store-conflict.ts'
import { moveAgentData, writeAgentData } from './agent-data.ts'
import { readBackup, verifyBackup } from './read-backup.ts'
import { buildSqlite, swapSqlite } from './restore-sqlite.ts'

interface RestoreOptions {
  readonly file: string
  readonly home: string
  /** null for SQLite in the home folder. */
  readonly databaseUrl: string | null
  /** Deletes the existing rows of a PostgreSQL database. */
  readonly replace: boolean
}

interface RestoreSummary {
  readonly createdAt: number
  readonly rows: Readonly<Record<string, number>>
  readonly files: number
  /** Where the previous database and agent data were moved; null when there were none. */
  readonly keptDatabase: string | null
  readonly keptWorkspaces: string | null
}

/**
 * Replaces the contents of a home folder with a backup. Verifies the whole backup first. After a crash, the database is
 * either the old one or the new one.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { header, footer } = await verifyBackup(options.file)
  await makeHome(options.home)
  const files = homeFiles(options.home)
  const lock = takeHomeLock(files.lock)
  if (!lock)
    throw new ClawbooError('server_running', 'the server is running; stop it with `clawboo stop`, then restore')
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const keptWorkspaces = `${files.runtimes}.before-restore-${time}`
  const keptDatabase = `${files.database}.before-restore-${time}`
  const freshDatabase = `${files.database}.restoring`
  const freshWorkspaces = `${files.runtimes}.restoring`
  try {
    await unpackWorkspaces(options.file, freshWorkspaces)
    if (options.databaseUrl === null) await buildSqlite(freshDatabase, options.file, header)
    // Move the old files away first: the server treats a changed file as an edit, but a missing one only as a lost
    // copy.
    const moved = await moveAgentData(files.runtimes, keptWorkspaces)
    let replaced = false
    try {
      if (options.databaseUrl === null) replaced = await swapSqlite(freshDatabase, files.database, keptDatabase)
      else await restoreToPostgres(options.databaseUrl, options, header)
    } catch (error) {
      await moveAgentData(keptWorkspaces, files.runtimes)
      await rm(keptWorkspaces, { recursive: true, force: true })
      throw error
    }
    await moveAgentData(freshWorkspaces, files.runtimes)
    return {
      createdAt: header.createdAt,
      rows: footer.rows,
      files: footer.files,
      keptDatabase: replaced ? keptDatabase : null,
      keptWorkspaces: moved > 0 ? keptWorkspaces : null,
    }
  } catch (error) {
    throw error instanceof StoreConflict
      ? new ClawbooError('backup_unreadable', 'the backup cannot be used: its rows contradict each other', {
          cause: error,
        })
      : error
  } finally {
    await rm(freshWorkspaces, { recursive: true, force: true })
    for (const ending of ['', '-wal', '-shm']) await rm(freshDatabase + ending, { force: true })
    lock.release()
  }
}

/** Loads the driver only when it is needed. */
async function restoreToPostgres(url: string, options: RestoreOptions, header: Parameters<typeof buildSqlite>[2]) {
  const { restorePostgres } = await import('./restore-postgres.ts')
  await restorePostgres(url, options.file, { header, replace: options.replace })
}

async function unpackWorkspaces(file: string, root: string): Promise<void> {
  await rm(root, { recursive: true, force: true })
  for await (const entry of readBackup(file)) {
    if (entry.kind === 'file') await writeAgentData(root, entry.file)
  }
}
