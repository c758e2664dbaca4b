const units = ["B", "kB", "MB", "GB", "TB"] as const

/** A number of bytes in the unit that people read: `1.4 MB`. */
export const sizeText = (bytes: number): string => {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1_000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
