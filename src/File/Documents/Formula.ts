import type { Attributes } from "./OfficeXml.ts"

interface Element {
  readonly name: string
  readonly children: Array<{ readonly name: string; readonly text: string }>
  /** Signs that its properties name, such as the brackets. */
  readonly signs: Map<string, string>
}

export interface FormulaReader {
  /** Whether a formula is being read, or begins with this element. */
  readonly takes: (name: string) => boolean
  readonly open: (name: string, attributes: Attributes) => void
  readonly text: (text: string) => void
  /** The formula in one line, when it ends. */
  readonly close: () => string | null
}

/** Reads formulas of office documents (OMML) as text: `x^2/(a+b)`. */
export const formulaReader = (): FormulaReader => {
  const open: Array<Element> = []
  return {
    takes: (name) => open.length > 0 || name === "m:oMath",
    open: (name, attributes) => {
      const value = attributes["m:val"]
      const owner = open.findLast((element) => !element.name.endsWith("Pr"))
      if (value !== undefined) owner?.signs.set(name, value)
      open.push({ name, children: [], signs: new Map() })
    },
    text: (text) => {
      const element = open.at(-1)
      if (element?.name === "m:t" || element?.name === "w:t") element.children.push({ name: "", text })
    },
    close: () => {
      const element = open.pop()
      if (element === undefined) return null
      const text = textOf(element)
      const parent = open.at(-1)
      parent?.children.push({ name: element.name, text })
      return parent === undefined ? text.trim() : null
    }
  }
}

const textOf = ({ children, name, signs }: Element): string => {
  const all = (wanted: string) => children.filter((child) => child.name === wanted).map(({ text }) => text)
  const one = (wanted: string) => all(wanted).join("")
  const script = (sign: string, wanted: string) => one(wanted) === "" ? "" : `${sign}${grouped(one(wanted))}`
  const base = one("m:e")
  switch (name) {
    case "m:f":
      return `${grouped(one("m:num"))}/${grouped(one("m:den"))}`
    case "m:sSub":
    case "m:sSup":
    case "m:sSubSup":
      return `${grouped(base)}${script("_", "m:sub")}${script("^", "m:sup")}`
    case "m:sPre":
      return `${script("_", "m:sub")}${script("^", "m:sup")}${grouped(base)}`
    case "m:limLow":
      return `${base}${script("_", "m:lim")}`
    case "m:limUpp":
      return `${base}${script("^", "m:lim")}`
    case "m:nary":
      return `${signs.get("m:chr") ?? "∫"}${script("_", "m:sub")}${script("^", "m:sup")} ${grouped(base)}`
    case "m:rad":
      return `√${one("m:deg") === "" ? "" : `[${one("m:deg")}]`}(${base})`
    case "m:func":
      return `${one("m:fName")} ${grouped(base)}`
    case "m:d":
      return `${signs.get("m:begChr") ?? "("}${all("m:e").join(signs.get("m:sepChr") ?? "|")}${
        signs.get("m:endChr") ?? ")"
      }`
    case "m:m":
      return `[${all("m:mr").join("; ")}]`
    case "m:mr":
      return all("m:e").join(", ")
    case "m:eqArr":
      return all("m:e").join("; ")
    case "m:acc":
      return `${base}${signs.get("m:chr") ?? "\u0302"}`
    case "m:bar":
      return `${base}\u0305`
    default:
      return children.map(({ text }) => text).join("")
  }
}

const grouped = (text: string): string => (/^[\p{L}\p{M}\p{N}.,]*$|^\([^()]*\)$/u.test(text) ? text : `(${text})`)
