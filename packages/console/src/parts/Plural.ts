/** A number with its noun: `1 task`, `2 tasks`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
