/** A count with its noun: "1 second", "2 seconds". */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
