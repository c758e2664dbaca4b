/** Marks a text from outside as data. A closing mark in it is escaped. */
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

const openingLine = /^<(\w+)(?:[^\w>][^>]*)?>$/

/** The lines of a text outside of its fences; an empty line stands for each fence. */
export const linesOutside = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r\n|\r|\n/)
  const lastIndex = new Map(lines.map((line, index) => [line, index]))
  const outside: Array<string> = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    const label = openingLine.exec(line)?.[1]
    const end = `</${label}>`
    const isFence = label !== undefined && (lastIndex.get(end) ?? -1) > index
    outside.push(isFence ? "" : line)
    if (isFence) index = lines.indexOf(end, index)
  }
  return outside
}
