const verbatimChars = 4_000
export const excerptChars = 12_000
export const excerptLines = 20

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

/** The first line that is not blank, at most 200 characters of it. */
export const firstLineOf = (text: string): string => shortened(text.trimStart().split("\n", 1)[0] ?? "", 200)

export const shortened = (text: string, length: number): string =>
  text.length > length ? `${headOf(text, length - 1)}…` : text

/** Lines may be very long, so the caller limits the characters too. */
const endOfLines = (text: string): number => {
  let end = -1
  for (let line = 0; line < excerptLines; line++) {
    end = text.indexOf("\n", end + 1)
    if (end === -1) return text.length
  }
  return end
}

/** One character less if the end would split a surrogate pair. */
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
