/** A time in the format of the API: ISO 8601 UTC with milliseconds and `Z`. */
export const instant = (value: string): string =>
  `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const timestamp = (value: string, as: string): string => `${instant(value)} as ${as}`
