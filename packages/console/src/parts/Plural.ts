/** A number with its noun: `1 task`, `2 tasks`. */
export const plural = (count: number, noun: string, text: (count: number) => string = String): string =>
  `${text(count)} ${noun}${count === 1 ? "" : "s"}`

/** The service counts tasks and messages up to this number. */
const maxCount = 1_000

export const counted = (count: number): string => count >= maxCount ? `${maxCount}+` : String(count)
