/**
 * Marks a text from outside as data. Whatever resembles the closing mark in it is escaped, so it can't close the fence.
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

/** A text without a fence is returned as it is. */
export const unfenced = (text: string): string =>
  /^<(\w+)(?:[^\w>\n][^>\n]*)?>\n([^]*)\n<\/\1>$/.exec(text)?.[2] ?? text
