import { openSqliteConnection } from './connection.ts'

/** What SQLite finds wrong in a file, without writing to it. Throws when it cannot be read at all. */
export function quickCheck(file: string): string[] {
  const connection = openSqliteConnection(file, { readOnly: true })
  try {
    const found = connection.execute('all', { text: 'PRAGMA quick_check(5)', values: [] }) as { quickCheck: string }[]
    return found.map((row) => row.quickCheck).filter((line) => line !== 'ok')
  } finally {
    connection.close()
  }
}
