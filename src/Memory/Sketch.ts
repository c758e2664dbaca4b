/** Dimensions that share a scale. */
const blockSize = 64

/** Where things stand in the sketch of a vector of so many dimensions. */
export interface SketchShape {
  readonly dimensions: number
  readonly blocks: number
  /** Bytes before the digits. */
  readonly head: number
  /** Bytes in all. */
  readonly size: number
}

export const sketchShape = (dimensions: number): SketchShape => {
  const blocks = Math.ceil(dimensions / blockSize)
  const head = Math.ceil((4 + 4 * blocks) / 16) * 16
  return { dimensions, blocks, head, size: head + blockSize * blocks }
}

/**
 * A vector in a quarter of its size, and how far off that is: enough to tell what can't be among the nearest. Each
 * number is a digit from -127 to 127 times the scale of its block of 64.
 *
 * Its bytes, as the database keeps them and Kernel.wat reads them, all little-endian: the length of what the sketch
 * leaves out as f32, an f32 a block for its scale, zeros up to a multiple of 16, an i8 a dimension for its digit, zeros
 * up to a whole block.
 */
export const sketchOf = (vector: Float32Array): Uint8Array => {
  const { blocks, head, size } = sketchShape(vector.length)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let left = 0
  for (let block = 0; block < blocks; block++) {
    const first = block * blockSize
    const numbers = vector.subarray(first, first + blockSize)
    const scale = Math.fround(greatest(numbers) / 127)
    view.setFloat32(4 + 4 * block, scale, true)
    numbers.forEach((number, at) => {
      const digit = scale === 0 ? 0 : Math.round(number / scale)
      view.setInt8(head + first + at, digit)
      left += (number - digit * scale) ** 2
    })
  }
  view.setFloat32(0, Math.sqrt(left) * roundedUp, true)
  return bytes
}

/** What is searched for, in digits of 16 bits. */
export interface SketchQuery {
  readonly digits: Int16Array
  readonly scale: number
  readonly length: number
  /** The length of what the digits leave out. */
  readonly left: number
}

export const sketchQuery = (vector: Float32Array): SketchQuery => {
  const digits = new Int16Array(sketchShape(vector.length).blocks * blockSize)
  const scale = greatest(vector) / 32_767
  let length = 0
  let left = 0
  vector.forEach((number, at) => {
    const digit = scale === 0 ? 0 : Math.round(number / scale)
    digits[at] = digit
    length += number ** 2
    left += (number - digit * scale) ** 2
  })
  return { digits, scale, length: Math.sqrt(length), left: Math.sqrt(left) }
}

/**
 * How much the dot product of the query with a vector of length 1 can differ from that of their digits, when `left` is
 * the length of what the vector's sketch leaves out: q·v - q'·v' = q·(v - v') + (q - q')·v', each at most the product of
 * the lengths (Cauchy and Schwarz), and what the kernel rounds, a bit of f32 for each of its additions.
 */
export const sketchSlack = (query: SketchQuery, left: number): number =>
  query.length * left + query.left * (1 + left) + (query.digits.length / blockSize + 8) * 2 ** -23

/** Makes up for what storing a number as f32 may take off. */
const roundedUp = 1 + 2 ** -22

const greatest = (numbers: Float32Array): number => {
  let most = 0
  for (const number of numbers) most = Math.max(most, Math.abs(number))
  return most
}
