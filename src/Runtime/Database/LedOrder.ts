/**
 * Statements for lists of a table `m`, newest first, by the index of one column of the filter. That column is a range of one
 * value and leads the order: the planner would prefer the order of ids to the index of a column that it knows to be
 * constant, and read all rows that are newer than those of the filter. The parameter has the name of the column.
 */
export const equals = (column: string, leading: string | null): string =>
  column === leading ? `m.${column} between $${column}::text and $${column}::text` : `m.${column} = $${column}::text`

/** The first column that the filter has. */
export const leadingOf = (given: Readonly<Record<string, boolean>>): string | null =>
  Object.keys(given).find((column) => given[column]) ?? null

export const newestFirst = (leading: string | null): string =>
  `order by ${leading === null ? "" : `m.${leading} desc, `}m.id desc`
