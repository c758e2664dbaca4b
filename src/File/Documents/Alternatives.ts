import type { XmlReader } from "./OfficeXml.ts"

/**
 * Passes on the first of several alternatives (`mc:AlternateContent`) from which the reader takes something, so that a
 * text is neither read twice nor lost. `taken` counts what the reader has taken.
 */
export const withAlternatives = (reader: XmlReader, taken: () => number): XmlReader => {
  const open: Array<{ isTaken: boolean; before: number }> = []
  const isAlternative = (name: string) => name === "mc:Choice" || name === "mc:Fallback"
  return {
    ...reader,
    open: (name, attributes) => {
      if (name === "mc:AlternateContent") return void open.push({ isTaken: false, before: 0 })
      const current = open.at(-1)
      if (!isAlternative(name) || current === undefined) return reader.open?.(name, attributes)
      current.before = taken()
      return !current.isTaken
    },
    close: (name) => {
      const current = open.at(-1)
      if (name === "mc:AlternateContent") return void open.pop()
      if (isAlternative(name) && current !== undefined) current.isTaken = taken() > current.before
      else reader.close?.(name)
    }
  }
}
