/** The vector at length 1, so that a dot product is a cosine; one without direction stays zero, near to nothing. */
export const normalised = (vector: Float32Array): Float32Array => {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

/** What rounding makes of the cosine of vectors that have nothing in common. */
export const noise = 0.00001

/** The dot product of vectors of one length. */
export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}
