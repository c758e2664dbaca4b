import { Effect } from "effect"
import { withAlternatives } from "./Alternatives.ts"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { formulaReader } from "./Formula.ts"
import type { OfficeParts } from "./OfficeParts.ts"
import { type Attributes, readXml } from "./OfficeXml.ts"
import { type WordContext, wordElements } from "./WordElements.ts"
import { wordFields } from "./WordFields.ts"
import { type Captured, type Close, tag, wordOutput } from "./WordOutput.ts"

export interface WordBody {
  readonly xml: string
  readonly hasText: boolean
  /** The notes or comments in it, by their ids. */
  readonly items: ReadonlyMap<string, Captured & { readonly author: string }>
}

const properties = new Set(["w:pPr", "w:tblPr", "w:trPr", "w:tcPr"])
/** The properties that change the text: headings, lists and cells. All others cost mammoth time and memory. */
const copiedProperties = new Set([
  "w:pStyle",
  "w:numPr",
  "w:ilvl",
  "w:numId",
  "w:tblStyle",
  "w:tblHeader",
  "w:gridSpan",
  "w:vMerge"
])

const structure = new Set(["w:tbl", "w:tr", "w:tc", "w:r"])
const texts = new Set(["w:t", "w:delText", "a:t"])
const items = new Set(["w:footnote", "w:endnote", "w:comment"])

/** Elements of a run that may show nothing. */
const silent =
  /^w:(?:lastRenderedPageBreak|annotationRef|footnoteRef|endnoteRef|separator|continuationSeparator|softHyphen|delInstrText|drawing|pict)$/

/**
 * The content of a part of a Word document as XML of which mammoth loses nothing: text boxes, fields, formulas, deleted
 * text, comments and the like are text of its paragraphs, with marks for what has none.
 */
export const wordBody = (
  parts: OfficeParts,
  part: string,
  context: WordContext
): Effect.Effect<WordBody, DocumentUnreadable> => {
  const output = wordOutput()
  const elements = wordElements(output, context)
  const fields = wordFields(output)
  const formula = formulaReader()
  const found = new Map<string, Captured & { readonly author: string }>()
  const open: Array<{ readonly name: string; readonly close: Close | undefined; readonly before: number }> = []
  let copied = 0
  let inText = false

  const copy = (name: string, attributes: Attributes): Close => {
    copied++
    output.write(tag(name, attributes))
    return () => {
      copied--
      output.write(`</${name}>`)
    }
  }
  const text = (): Close => {
    inText = true
    output.write("<w:t xml:space=\"preserve\">")
    return () => {
      inText = false
      output.write("</w:t>")
    }
  }
  const item = ({ "w:author": author = "", "w:id": id = "", "w:type": type = "normal" }: Attributes): Close => {
    const end = output.capture()
    return () => {
      const captured = end()
      if (type === "normal") found.set(id, { ...captured, author })
    }
  }
  /** False skips the element, undefined reads only what is in it. */
  const begin = (name: string, attributes: Attributes): Close | false | undefined => {
    if (copied > 0) return copiedProperties.has(name) ? copy(name, attributes) : false
    if (properties.has(name)) return copy(name, attributes)
    if (texts.has(name)) return text()
    if (items.has(name)) return item(attributes)
    if (structure.has(name)) return output.element(name)
    const close = fields.open(name, attributes) ?? elements[name]?.(attributes)
    return close === undefined && /^w:\w+Pr$/.test(name) ? false : close
  }

  const read = readXml(
    parts,
    part,
    withAlternatives({
      open: (name, attributes) => {
        if (formula.takes(name)) return formula.open(name, attributes)
        const before = output.count()
        const close = begin(name, attributes)
        if (close === false) return false
        open.push({ name, close, before })
      },
      text: (text) => {
        if (formula.takes("")) formula.text(text)
        else if (!fields.text(text) && inText) output.text(text)
      },
      close: (name) => {
        if (formula.takes("")) {
          const text = formula.close()
          if (text !== null) output.mark(text)
          return
        }
        const closed = open.pop()
        closed?.close?.()
        const isUnknown = closed?.close === undefined && open.at(-1)?.name === "w:r" && name.startsWith("w:")
        if (isUnknown && output.count() === closed?.before && !silent.test(name)) {
          output.mark(`[Not shown: ${name.slice("w:".length)}]`)
        }
      }
    }, output.count)
  )
  return Effect.map(read, () => ({ xml: output.xml(), hasText: output.count() > 0, items: found }))
}
