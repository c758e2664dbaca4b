/**
 * A text from outside between two marks, so that a model can tell where data begins and ends. The text can't close the
 * fence: what in it looks like the closing mark, in whatever case and spacing, loses its meaning by a backslash.
 */
export const fence = (label: string, text: string, attributes = ""): string =>
  `<${label}${attributes}>\n${text.replaceAll(closing(label), "<\\$1")}\n</${label}>`

const patterns = new Map<string, RegExp>()

const closing = (label: string): RegExp => {
  const known = patterns.get(label)
  if (known !== undefined) return known
  const made = new RegExp(`<(\\s*/\\s*${label})`, "gi")
  patterns.set(label, made)
  return made
}

/** What stands between the marks of a fence; a text without a fence as it is. */
export const unfenced = (text: string): string =>
  /^<(\w+)(?:[^\w>\n][^>\n]*)?>\n([^]*)\n<\/\1>$/.exec(text)?.[2] ?? text
