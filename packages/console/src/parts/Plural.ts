/** A number with its noun: `1 task`, `2 tasks`. */
export const plural = (count: number, noun: string, text: (count: number) => string = String): string =>
  `${text(count)} ${noun}${count === 1 ? "" : "s"}`
