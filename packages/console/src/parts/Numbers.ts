const whole = new Intl.NumberFormat("en")
const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 })

export const numberText = (value: number): string => whole.format(value)

/** What model calls cost; without prices, a dash. */
export const costText = (cost: number | null): string => cost === null ? "–" : money.format(cost)

/** What is wrong with a text that should be a whole number; nothing where it is one, or empty. */
export const wholeNumberFault = (text: string): string | undefined =>
  /^\d*$/.test(text.trim()) ? undefined : "Must be a whole number, written in digits only"
