/** The vector at length 1, so that a dot product is a cosine; one without direction becomes zero, similar to nothing. */
export const normalised = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(dot(vector, vector))
  return Number.isFinite(length) && length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length)
}

const at = (vector: Float32Array, index: number) => vector[index] ?? 0

/** In four sums, since an addition waits for the one before it to the same sum: half the time. */
export const dot = (one: Float32Array, other: Float32Array): number => {
  let sum = 0
  let second = 0
  let third = 0
  let fourth = 0
  let index = 0
  for (; index < one.length - 3; index += 4) {
    sum += at(one, index) * at(other, index)
    second += at(one, index + 1) * at(other, index + 1)
    third += at(one, index + 2) * at(other, index + 2)
    fourth += at(one, index + 3) * at(other, index + 3)
  }
  for (; index < one.length; index++) sum += at(one, index) * at(other, index)
  return sum + second + third + fourth
}

/** Of two vectors of length 1, in -1..1; 0 for vectors that can't be compared. */
export const cosineOfUnits = (one: Float32Array, other: Float32Array): number =>
  one.length === other.length ? Math.max(-1, Math.min(1, dot(one, other))) : 0
