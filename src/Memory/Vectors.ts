/** The vector at length 1, so that a dot product is a cosine; one without direction stays zero, near to nothing. */
export const normalised = (vector: Float32Array): Float32Array => {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

/** What rounding makes of the cosine of vectors that have nothing in common. */
export const noise = 0.00001

/** The dot product of `vector` with the piece of `rows` that begins at `offset`. */
export const dotAt = (rows: Float32Array, offset: number, vector: Float32Array): number => {
  const { length } = vector
  // Four sums at a time: each addition need not wait for the one before. Indexes are within bounds, `?? 0` never acts.
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  let at = 0
  for (; at + 3 < length; at += 4) {
    const row = offset + at
    first += (rows[row] ?? 0) * (vector[at] ?? 0)
    second += (rows[row + 1] ?? 0) * (vector[at + 1] ?? 0)
    third += (rows[row + 2] ?? 0) * (vector[at + 2] ?? 0)
    fourth += (rows[row + 3] ?? 0) * (vector[at + 3] ?? 0)
  }
  for (; at < length; at++) first += (rows[offset + at] ?? 0) * (vector[at] ?? 0)
  return first + second + third + fourth
}
