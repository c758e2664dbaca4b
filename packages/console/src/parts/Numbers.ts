const whole = new Intl.NumberFormat("en")

export const numberText = (value: number): string => whole.format(value)

const cents = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** US dollars, also fractions of a cent. */
export const moneyText = (amount: number): string =>
  `$${
    amount === 0
      ? "0.00"
      : amount < 0.0001
      ? amount.toPrecision(1)
      : amount < 1
      ? amount.toFixed(4)
      : cents.format(amount)
  }`

/** What model calls cost; without prices, a dash. */
export const costText = (cost: number | null): string => cost === null ? "–" : moneyText(cost)

/** What is wrong with a text that should be a whole number; nothing where it is one, or empty. */
export const wholeNumberFault = (text: string): string | undefined =>
  /^\d*$/.test(text.trim()) ? undefined : "Must be a whole number, written in digits only"
