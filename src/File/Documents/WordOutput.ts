import type { Attributes } from "./OfficeXml.ts"

/** Called when the element ends. */
export type Close = () => void

/** Content that was captured instead of added to the document. */
export interface Captured {
  readonly xml: string
  /** In one line. */
  readonly text: string
}

/** Writes the content of a Word document as XML, and counts the texts in it. */
export interface WordOutput {
  /** Adds XML. `texts` is the number of texts in it. */
  readonly write: (xml: string, texts?: number) => void
  readonly text: (text: string) => void
  /** Adds a text as a run, in a paragraph of its own if none is open. */
  readonly mark: (text: string) => void
  /** Paragraphs of their own, which follow the one that is open. */
  readonly lines: (lines: ReadonlyArray<string>) => void
  readonly element: (name: string) => Close
  readonly paragraph: () => Close
  /** Paragraphs in a paragraph, such as those of a text box; they follow it. */
  readonly box: () => Close
  /** Puts what is written until the end between two texts, if that is anything. */
  readonly bracketed: (before: string, after: string) => Close
  readonly capture: () => () => Captured
  readonly count: () => number
  /** Whether the paragraph that is open has a text so far. */
  readonly hasText: () => boolean
  readonly xml: () => string
}

export const escaped = (text: string): string =>
  text.replace(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, "")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

export const run = (text: string): string => `<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`

/** The start of an element of Word, or an empty one, with the attributes of Word. */
export const tag = (name: string, attributes: Attributes, end: "" | "/" = ""): string =>
  `<${name}${
    Object.entries(attributes).flatMap(([key, value]) => key.startsWith("w:") ? [` ${key}="${escaped(value)}"`] : [])
      .join("")
  }${end}>`

export const wordOutput = (): WordOutput => {
  let out: Array<string> = []
  let line = ""
  let captures = 0
  let texts = 0
  let open = 0
  let textsBefore = 0

  const write = (xml: string, more = 0) => {
    out.push(xml)
    texts += more
  }
  const addToLine = (text: string) => {
    if (captures > 0) line += text
  }
  const text = (text: string) => {
    write(escaped(text), text.trim() === "" ? 0 : 1)
    addToLine(text)
  }
  const mark = (text: string) => {
    write(open > 0 ? run(text) : `<w:p>${run(text)}</w:p>`, 1)
    addToLine(text)
  }
  const box = (): Close => {
    if (open === 0) return () => {}
    const before = open
    open = 0
    write("<w:pict>")
    return () => {
      open = before
      write("</w:pict>")
    }
  }
  return {
    write,
    text,
    mark,
    box,
    lines: (lines) => {
      const end = box()
      for (const line of lines) mark(line)
      end()
    },
    element: (name) => {
      write(`<${name}>`)
      return () => write(`</${name}>`)
    },
    paragraph: () => {
      const before = textsBefore
      textsBefore = texts
      open++
      write("<w:p>")
      return () => {
        open--
        textsBefore = before
        write("</w:p>")
        addToLine(" ")
      }
    },
    bracketed: (before, after) => {
      const [into, at, had] = [out, out.push("") - 1, texts]
      return () => {
        if (texts === had) return
        into[at] = run(before)
        write(run(after))
      }
    },
    capture: () => {
      const [into, lineBefore] = [out, line]
      out = []
      line = ""
      captures++
      return () => {
        const captured = { xml: out.join(""), text: line.replace(/\s+/g, " ").trim() }
        out = into
        line = lineBefore + line
        captures--
        return captured
      }
    },
    count: () => texts,
    hasText: () => texts > textsBefore,
    xml: () => out.join("")
  }
}
