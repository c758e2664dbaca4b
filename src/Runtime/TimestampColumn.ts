/** A time column in the format of the API: ISO 8601 UTC with milliseconds and `Z`. */
export const timestamp = (column: string, as: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${as}`
