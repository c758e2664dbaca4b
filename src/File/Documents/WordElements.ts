import type { Attributes, Relation } from "./OfficeXml.ts"
import { type Close, run, tag, type WordOutput } from "./WordOutput.ts"

/** What a part of a Word document refers to. */
export interface WordContext {
  readonly relations: ReadonlyMap<string, Relation>
  /** The lines of charts and diagrams, by the ids of their relations. */
  readonly graphics: ReadonlyMap<string, ReadonlyArray<string>>
  /** The texts of comments by their ids. */
  readonly comments: ReadonlyMap<string, string>
  /** The notes that can be read, by their ids. */
  readonly footnotes: ReadonlyMap<string, unknown>
  readonly endnotes: ReadonlyMap<string, unknown>
  /** Addresses of links; the XML refers to one by its place here. */
  readonly links: Array<string>
}

/** Fonts whose symbols mammoth knows. */
const symbolFonts = /^(?:symbol|webdings|wingdings(?: [23])?)$/i

/** The end of an element that was handled when it began. */
const done: Close = () => {}

/** Handlers of elements by name; false skips the element. */
export const wordElements = (
  output: WordOutput,
  { comments, endnotes, footnotes, graphics, links, relations }: WordContext
): Readonly<Record<string, (attributes: Attributes) => Close | false>> => {
  /** The description of the open shape or drawing. */
  let description = ""
  let inObject = false
  let rubyXml = ""
  /** For each content control whether it is checked; null for one that is no checkbox. */
  const checked: Array<boolean | null> = []

  const write = (xml: string, texts = 0) => (): Close => {
    output.write(xml, texts)
    return done
  }
  const mark = (text: string): Close => {
    output.mark(text)
    return done
  }
  const lineBreak = ({ "w:type": type = "textWrapping" }: Attributes): Close => {
    // A page that begins with the paragraph needs no line break.
    if (type === "textWrapping" || output.hasText()) output.write("<w:br/>")
    return done
  }
  const note = (name: string, notes: ReadonlyMap<string, unknown>) => ({ "w:id": id = "" }: Attributes) =>
    notes.has(id) ? write(tag(name, { "w:id": id }, "/"), 1)() : mark(`[Note ${id} can't be read]`)
  const graphic = (id = ""): Close => {
    output.lines(graphics.get(id) ?? ["[A chart or diagram can't be read: its part is missing]"])
    return done
  }
  const linked = (what: string) => ({ "r:id": id = "" }: Attributes): Close =>
    mark(`[${what} not read: ${relations.get(id)?.target ?? "its part is missing"}]`)
  const shape = (...descriptions: ReadonlyArray<string | undefined>): Close => {
    description = descriptions.map((one) => one?.trim() ?? "").find((one) => one !== "") ?? ""
    return description === "" || inObject ? done : mark(`[Image: ${description}]`)
  }
  const picture = (): Close => description === "" && !inObject ? mark("[Image]") : done

  return {
    "w:p": output.paragraph,
    "w:tab": write("<w:tab/>"),
    "w:ptab": write("<w:tab/>"),
    "w:br": lineBreak,
    "w:cr": lineBreak,
    "w:noBreakHyphen": write("<w:noBreakHyphen/>", 1),
    "w:sym": ({ "w:char": char = "", "w:font": font = "" }) => {
      const code = Number.parseInt(char, 16)
      if (symbolFonts.test(font)) return write(tag("w:sym", { "w:char": char, "w:font": font }, "/"), 1)()
      return code < 0xe000 || (code > 0xf8ff && code <= 0x10ffff)
        ? mark(String.fromCodePoint(code))
        : mark(`[Symbol ${char} of the font ${font}]`)
    },
    "w:hyperlink": ({ "r:id": id = "", "w:anchor": anchor = "" }) => {
      const target = relations.get(id)?.target
      if (target === undefined) return done
      links.push(anchor === "" ? target : `${target.split("#", 1).join("")}#${anchor}`)
      output.write(`<w:hyperlink r:id="link${links.length}">`)
      return () => output.write("</w:hyperlink>")
    },
    "w:footnoteReference": note("w:footnoteReference", footnotes),
    "w:endnoteReference": note("w:endnoteReference", endnotes),
    "w:commentReference": ({ "w:id": id = "" }) => mark(comments.get(id) ?? `[Comment ${id} can't be read]`),
    "w:del": () => output.bracketed("[Deleted: ", "]"),
    // The text is also where it was moved to.
    "w:moveFrom": () => false,
    "w:rt": () => {
      const end = output.capture()
      return () => {
        rubyXml = end().xml
      }
    },
    "w:ruby": () => () => {
      if (rubyXml !== "") output.write(`${run("(")}${rubyXml}${run(")")}`)
      rubyXml = ""
    },
    "w:sdt": () => {
      checked.push(null)
      return () => void checked.pop()
    },
    // Read for a checkbox alone; nothing in it is shown.
    "w:sdtPr": () => {
      const end = output.capture()
      return () => void end()
    },
    "w14:checkbox": () => {
      checked[checked.length - 1] = false
      return done
    },
    "w14:checked": ({ "w14:val": value }) => {
      checked[checked.length - 1] = value !== "0" && value !== "false"
      return done
    },
    "w:sdtContent": () => {
      const isChecked = checked.at(-1) ?? null
      if (isChecked === null) return done
      output.mark(isChecked ? "☒" : "☐")
      return false
    },
    "w:txbxContent": output.box,
    "a:p": () => () => output.write(run(" ")),
    "wp:docPr": ({ descr, title }) => shape(descr, title),
    "pic:pic": picture,
    "v:shape": ({ alt }) => shape(alt),
    "v:rect": ({ alt }) => shape(alt),
    "v:imagedata": ({ "o:title": title }) => {
      if (description === "") shape(title)
      return picture()
    },
    "v:textpath": ({ string = "" }) => mark(`[WordArt: ${string}]`),
    "w:object": () => {
      inObject = true
      return () => {
        inObject = false
      }
    },
    "o:OLEObject": ({ ProgID = "unknown" }) => mark(`[Embedded object: ${ProgID}]`),
    "w:control": ({ "w:name": name = "" }) => mark(`[Form control ${name}]`),
    "c:chart": ({ "r:id": id }) => graphic(id),
    "cx:chart": ({ "r:id": id }) => graphic(id),
    "dgm:relIds": ({ "r:dm": id }) => graphic(id),
    "w:altChunk": linked("Inserted document"),
    "w:subDoc": linked("Linked document")
  }
}
