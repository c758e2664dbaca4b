import { Effect } from "effect"
import { strToU8, type Zippable, zipSync } from "fflate"
import { convert } from "html-to-text"
import mammoth from "mammoth"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { graphicLines } from "./Drawing.ts"
import { type OfficeParts, partNamed } from "./OfficeParts.ts"
import { mainPart, readXml, type Relation, relations } from "./OfficeXml.ts"
import type { WordContext } from "./WordElements.ts"
import { escaped } from "./WordOutput.ts"
import { type WordBody, wordBody } from "./WordXml.ts"

/** The text of a Word document with its lists, tables, notes, comments, headers and footers; links have their targets. */
export const wordText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const main = yield* mainPart(parts, "word/document.xml")
    const named = [...(yield* relations(parts, main)).values()]
    const marks: Array<string> = []
    const links: Array<string> = []
    const orMark = <A>(work: Effect.Effect<A, DocumentUnreadable>, part: string): Effect.Effect<A | null> =>
      Effect.catchAll(work, ({ reason }) => {
        marks.push(`[${part} can't be read: ${reason}]`)
        return Effect.succeed(null)
      })

    const bodyOf = (part: string, notes: Pick<WordContext, "comments" | "footnotes" | "endnotes">) =>
      Effect.gen(function*() {
        const own = yield* relations(parts, part)
        const graphics = yield* graphicsOf(parts, own)
        return yield* wordBody(parts, part, { relations: own, graphics, links, ...notes })
      })
    const partsOf = (type: string): ReadonlyArray<string> => {
      const related = new Set(named.flatMap((one) => (one.type === type ? [one.target] : [])))
      // Some programs write parts without a relation to them.
      return related.size > 0 ? [...related] : [...parts.keys()].filter((name) => usualPart.exec(name)?.[1] === type)
    }
    const none = { comments: new Map<string, string>(), footnotes: new Map(), endnotes: new Map() }
    const itemsOf = (type: string, references: Pick<WordContext, "comments" | "footnotes" | "endnotes">) =>
      Effect.map(
        Effect.forEach(partsOf(type), (part) => orMark(bodyOf(part, references), part)),
        (bodies): WordBody["items"] => new Map(bodies.flatMap((body) => [...(body?.items ?? [])]))
      )

    const comments = new Map(
      [...(yield* itemsOf("comments", none))].map(([id, { author, text }]) =>
        [id, `[Comment${author === "" ? "" : ` by ${author}`}: ${text}]`] as const
      )
    )
    const footnotes = yield* itemsOf("footnotes", { ...none, comments })
    const endnotes = yield* itemsOf("endnotes", { ...none, comments })
    const references = { comments, footnotes, endnotes }
    const body = yield* bodyOf(main, references)
    const around = yield* Effect.forEach(["header", "footer"], (type) =>
      Effect.map(
        Effect.forEach(partsOf(type), (part) => orMark(bodyOf(part, references), part)),
        (bodies) => {
          const shown = new Set(bodies.flatMap((one) => (one?.hasText === true ? [one.xml] : [])))
          return [...shown].map((xml) => `${paragraph(`[${type === "header" ? "Header" : "Footer"}]`)}${xml}`)
        }
      ))

    const document = (xml: string) => ({ "word/document.xml": root("document", `<w:body>${xml}</w:body>`) })
    const written = {
      ...document(body.xml),
      "word/footnotes.xml": root("footnotes", itemsXml("footnote", footnotes)),
      "word/endnotes.xml": root("endnotes", itemsXml("endnote", endnotes))
    }
    const copied: Record<string, Uint8Array> = {}
    for (const type of ["styles", "numbering"]) {
      for (const target of partsOf(type)) {
        const name = partNamed(parts, target)
        const bytes = name === undefined ? undefined : parts.get(name)
        const isReadable = yield* orMark(Effect.as(readXml(parts, target, {}), true), target)
        if (bytes !== undefined && isReadable === true) copied[`word/${type}.xml`] = bytes
      }
    }
    const { html, notShown } = yield* Effect.catchAll(htmlOf(written, copied, links), (failure) => {
      if (Object.keys(copied).length === 0) return failure
      marks.push("[The styles or lists of the document can't be read: headings and numbers may be missing.]")
      return htmlOf(written, {}, links)
    })
    const aroundHtml = around.flat().length === 0
      ? ""
      : (yield* htmlOf(document(around.flat().join("")), {}, links)).html
    return [textOf(html), textOf(aroundHtml), ...notShown, ...marks].filter((text) => text !== "").join("\n\n")
  })

const usualPart = /^word\/([a-z]+)\d*\.xml$/

const graphicsOf = (parts: OfficeParts, own: ReadonlyMap<string, Relation>) =>
  Effect.map(
    Effect.forEach(own.values(), (one) => Effect.map(graphicLines(parts, one), (lines) => [one.id, lines] as const)),
    (found) => new Map(found.flatMap(([id, lines]) => (lines === null ? [] : [[id, lines]])))
  )

const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

const office = "http://schemas.openxmlformats.org/"

const root = (name: string, content: string): string =>
  `<w:${name} xmlns:w="${office}wordprocessingml/2006/main" `
  + `xmlns:r="${office}officeDocument/2006/relationships">${content}</w:${name}>`

const itemsXml = (name: string, items: WordBody["items"]): string =>
  [...items].map(([id, { xml }]) => `<w:${name} w:id="${escaped(id)}">${xml}</w:${name}>`).join("")

/** The HTML that mammoth makes of the document, and marks of what it reports as left out. */
const htmlOf = (
  written: Readonly<Record<string, string>>,
  copied: Readonly<Record<string, Uint8Array>>,
  links: ReadonlyArray<string>
) => {
  const addresses = links.map((address, index) =>
    `<Relationship Id="link${index + 1}" Target="${escaped(address)}" TargetMode="External"/>`
  )
  const relationships = `<Relationships xmlns="${office}package/2006/relationships">${
    addresses.join("")
  }</Relationships>`
  const files: Zippable = {}
  for (const [name, bytes] of Object.entries(copied)) files[name] = [bytes, { level: 0 }]
  for (const [name, xml] of Object.entries(written)) {
    files[name] = [strToU8(xml), { level: 0 }]
    files[name.replace("word/", "word/_rels/").concat(".rels")] = [strToU8(relationships), { level: 0 }]
  }
  return Effect.tryPromise({
    try: () => mammoth.convertToHtml({ buffer: Buffer.from(zipSync(files)) }, { externalFileAccess: false }),
    catch: () => new DocumentUnreadable({ reason: "The document is damaged: its text can't be read." })
  }).pipe(Effect.map(({ messages, value }) => ({
    html: value,
    notShown: [...new Set(messages.map(({ message }) => message))]
      .filter((message) => !/style/i.test(message))
      .map((message) => `[${message}]`)
  })))
}

const textOf = (html: string): string =>
  convert(html.replaceAll(cellSpan, boundedSpan), {
    wordwrap: false,
    limits: { maxInputLength: Infinity },
    selectors: [
      { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: "a", options: { ignoreHref: false, noAnchorUrl: true, hideLinkHrefIfSameAsText: true } }
    ]
  })

/** As mammoth writes it: text without an unescaped "<". */
const cellSpan = /(<t[hd] colspan=")([^"]*)/g

/** The most columns that a table has in Word. Reserving as many as a hostile cell claims would exhaust memory. */
const maxColumns = 63

const boundedSpan = (_: string, before: string, span: string): string =>
  `${before}${Math.min(Math.max(1, Number.parseInt(span, 10) || 1), maxColumns)}`

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"]
