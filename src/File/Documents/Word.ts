import { Effect } from "effect"
import { convert } from "html-to-text"
import mammoth from "mammoth"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { type OfficeParts, repacked } from "./OfficeParts.ts"

/** The text of a Word document with its lists and tables. Pictures are left out, links followed by their targets. */
export const wordText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.map(htmlOf(repacked(parts)), (html) =>
    convert(html.replaceAll(cellSpan, boundedSpan), {
      wordwrap: false,
      limits: { maxInputLength: Infinity },
      selectors: [
        { selector: "img", format: "skip" },
        { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
        ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
        { selector: "a", options: { ignoreHref: false, noAnchorUrl: true, hideLinkHrefIfSameAsText: true } }
      ]
    }))

const htmlOf = (buffer: Buffer): Effect.Effect<string, DocumentUnreadable> =>
  Effect.tryPromise({
    try: () =>
      mammoth.convertToHtml(
        { buffer },
        { externalFileAccess: false, convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })) }
      ).then(({ value }) => value),
    catch: () => new DocumentUnreadable({ reason: "The document is damaged: its text can't be read." })
  })

/** As mammoth writes it: text without an unescaped "<". */
const cellSpan = /(<t[hd] colspan=")([^"]*)/g

/** The most columns that a table has in Word. Reserving as many as a hostile cell claims would exhaust memory. */
const maxColumns = 63

const boundedSpan = (_: string, before: string, span: string): string =>
  `${before}${Math.min(Math.max(1, Number.parseInt(span, 10) || 1), maxColumns)}`

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"]
