/** The vector at length 1, so that a dot product is a cosine; one without direction becomes zero, similar to nothing. */
export const normalised = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(dot(vector, vector))
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

/** Of two vectors of length 1, in -1..1; 0 for vectors that can't be compared. */
export const cosineOfUnits = (one: Float32Array, other: Float32Array): number =>
  one.length === other.length ? Math.max(-1, Math.min(1, dot(one, other))) : 0
