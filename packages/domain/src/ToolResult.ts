/** Up to this many characters a tool's result reaches the model as it is. */
const verbatimChars = 4_000
/** Above this many characters only the first lines are shown. */
export const excerptChars = 12_000
export const excerptLines = 20

/** A tool's result as the model shall see it (service.md, "Tool result truncation"). A character is never cut in two. */
export const truncate = (text: string): string => {
  if (text.length <= verbatimChars) return text
  if (text.length <= excerptChars) {
    const head = headOf(text, verbatimChars)
    return `${head}\n\n[Truncated: the first ${head.length} of ${text.length} characters are shown.]`
  }
  const head = headOf(text, Math.min(endOfLines(text), excerptChars))
  const lines = countLines(text)
  const shown = countLines(head)
  return `${head}\n\n[Truncated: the first ${shown} of ${lines} lines are shown (${head.length} of ${text.length} `
    + "characters). Use read_file with offset and limit to read further in a file.]"
}

/** The first line of a text that is not blank, at most 200 characters of it. */
export const firstLineOf = (text: string): string => {
  const line = text.trimStart().split("\n", 1)[0] ?? ""
  return line.length > 200 ? `${headOf(line, 199)}…` : line
}

/** Where the first lines end. They may be absurdly long, so the caller bounds the characters as well. */
const endOfLines = (text: string): number => {
  let end = -1
  for (let line = 0; line < excerptLines; line++) {
    end = text.indexOf("\n", end + 1)
    if (end === -1) return text.length
  }
  return end
}

/** The first so many characters, or one less where that would cut one in two. */
export const headOf = (text: string, length: number): string => {
  const splits = length < text.length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1))
    && /[\uDC00-\uDFFF]/.test(text.charAt(length))
  return text.slice(0, splits ? length - 1 : length)
}

const countLines = (text: string): number => {
  let lines = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}
