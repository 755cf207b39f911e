/** The field that a column's value has in a row: `team_id` becomes `teamId`. */
export type FieldName<Column extends string> = Column extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<FieldName<Tail>>}`
  : Column

export function fieldName<Column extends string>(column: Column): FieldName<Column> {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as FieldName<Column>
}
