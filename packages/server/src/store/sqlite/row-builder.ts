import type { StatementSync } from 'node:sqlite'
import { fieldName } from '../field-name.ts'

/** Turns the values of one result row into an object with a field for each column. */
export type BuildRow = (values: readonly unknown[]) => Record<string, unknown>

/**
 * Switches the statement to arrays and names the fields itself, because the driver can only name a field after its column.
 * The names are read once per statement, not once per row.
 */
export function createRowBuilder(statement: StatementSync): BuildRow {
  statement.setReturnArrays(true)
  let fields: string[] = []
  let emptyRow: Record<string, unknown> = {}
  const readFields = () => {
    fields = statement.columns().map(({ name }) => fieldName(name))
    emptyRow = Object.fromEntries(fields.map((field) => [field, null]))
  }
  return (values) => {
    // SQLite prepares `SELECT *` again after the table got another column.
    if (values.length !== fields.length) readFields()
    // A copy of a row with all fields takes half as long as adding the fields one by one.
    const row = { ...emptyRow }
    for (let index = 0; index < fields.length; index++) row[fields[index]!] = values[index]
    return row
  }
}
