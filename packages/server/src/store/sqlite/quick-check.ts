import { openSqliteConnection } from './connection.ts'

/** Returns the errors that SQLite finds in a file, without writing to it. Throws when the file cannot be read. */
export function quickCheck(file: string): string[] {
  const connection = openSqliteConnection(file, { readOnly: true })
  try {
    const found = connection.execute('all', { text: 'PRAGMA quick_check(5)', values: [] }) as { quickCheck: string }[]
    return found.map((row) => row.quickCheck).filter((line) => line !== 'ok')
  } finally {
    connection.close()
  }
}
