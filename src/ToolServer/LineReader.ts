const newline = 0x0a

/** Splits bytes into lines of text. A line of more than `maxBytes` is dropped; its beginning goes to `onTooLong`. */
export const makeLineReader = (
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: (beginning: string) => void
): (chunk: Buffer) => void => {
  let parts: Array<Buffer> = []
  let bytes = 0
  let isTooLong = false

  const add = (part: Buffer) => {
    if (isTooLong) return
    bytes += part.length
    if (bytes <= maxBytes) return void parts.push(part)
    isTooLong = true
    const beginning = Buffer.concat([...parts, part]).subarray(0, Math.min(maxBytes, 2_000)).toString("utf8")
    parts = []
    onTooLong(beginning)
  }
  const end = () => {
    const line = isTooLong ? null : Buffer.concat(parts, bytes).toString("utf8")
    parts = []
    bytes = 0
    isTooLong = false
    if (line !== null) onLine(line.endsWith("\r") ? line.slice(0, -1) : line)
  }
  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
}
