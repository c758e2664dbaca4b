import { Effect } from "effect"
import { convert } from "html-to-text"
import mammoth from "mammoth"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { type OfficeParts, repacked } from "./OfficeParts.ts"

/** The text of a Word document with its lists and tables. Pictures are left out, links followed by their targets. */
export const wordText = (parts: OfficeParts): Effect.Effect<string, DocumentUnreadable> =>
  Effect.tryPromise({
    try: () =>
      mammoth.convertToHtml(
        { buffer: Buffer.from(repacked(parts)) },
        { externalFileAccess: false, convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })) }
      ),
    catch: () => new DocumentUnreadable({ reason: "The document is damaged: its text can't be read." })
  }).pipe(Effect.map(({ value }) =>
    convert(value, {
      wordwrap: false,
      limits: { maxInputLength: Infinity },
      selectors: [
        { selector: "img", format: "skip" },
        { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
        ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
        { selector: "a", options: { ignoreHref: false, noAnchorUrl: true, hideLinkHrefIfSameAsText: true } }
      ]
    })
  ))

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"]
