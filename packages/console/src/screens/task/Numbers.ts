export const whole = new Intl.NumberFormat("en")

/** A cost of fractions of a cent, too. */
export const money = (amount: number): string =>
  `$${amount === 0 ? "0.00" : amount < 0.0001 ? amount.toPrecision(1) : amount.toFixed(amount < 1 ? 4 : 2)}`
