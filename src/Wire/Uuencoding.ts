export interface UuencodedFile {
  readonly filename: string
  readonly content: Uint8Array
}

const begin = /^begin [0-7]{3,4} (\S.{0,200})$/
const dataLine = /^[ -`]{1,90}$/

/** Splits a text from the files in it that old programs write between `begin` and `end`. */
export const withoutUuencoded = (
  text: string
): { readonly text: string; readonly files: ReadonlyArray<UuencodedFile> } => {
  if (!/^begin [0-7]/m.test(text)) return { text, files: [] }
  const lines = text.split(/\r?\n/)
  const kept: Array<string> = []
  const files: Array<UuencodedFile> = []
  for (let at = 0; at < lines.length; at++) {
    const filename = begin.exec(lines[at] ?? "")?.[1]
    const end = filename === undefined ? at : endOfData(lines, at + 1)
    if (filename !== undefined && end > at + 1 && lines[end]?.trim() === "end") {
      files.push({ filename: filename.trim(), content: Buffer.concat(lines.slice(at + 1, end).map(lineBytes)) })
      at = end
    } else kept.push(lines[at] ?? "")
  }
  return files.length === 0 ? { text, files } : { text: kept.join("\n"), files }
}

/** The first file in a body that is encoded as a whole; null if there is none. */
export const decodedUu = (body: Uint8Array): Uint8Array | null =>
  withoutUuencoded(Buffer.from(body).toString("latin1")).files[0]?.content ?? null

const endOfData = (lines: ReadonlyArray<string>, start: number): number => {
  let end = start
  while (end < lines.length && lines[end]?.trim() !== "end" && dataLine.test(lines[end] ?? "")) end++
  return end
}

/** The first character is the number of bytes; each four of the others are three of them, six bits in each. */
const lineBytes = (line: string): Uint8Array => {
  const valueAt = (index: number) => (line.charCodeAt(index) - 32) & 63 || 0
  const bytes = Buffer.alloc(valueAt(0))
  for (let index = 0; index < bytes.length; index++) {
    const at = 1 + Math.floor(index / 3) * 4 + index % 3
    bytes[index] = (valueAt(at) << (2 + 2 * (index % 3))) | (valueAt(at + 1) >> (4 - 2 * (index % 3)))
  }
  return bytes
}
