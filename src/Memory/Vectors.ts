/** The vector at length 1, so that a dot product is a cosine; one without direction becomes zero, similar to nothing. */
export const normalised = (vector: Float32Array): Float32Array => {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

/** The largest cosine that rounding gives to vectors without anything in common. */
export const roundingError = 0.00001

export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}
