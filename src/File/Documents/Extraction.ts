import { Effect } from "effect"
import { decodeText } from "../../Runtime/TextDecoding.ts"
import { agrees, extensions, kindOf } from "./DocumentKind.ts"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"
import { isOffice, type OfficeParts, officeParts } from "./OfficeParts.ts"

const maxChars = 20_000_000

/** The whole text of a document, whose kind its name and its content must agree on. Meant for a document process. */
export const documentText = (name: string, bytes: Uint8Array): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const kind = kindOf(name)
    if (kind === undefined) {
      const known = extensions.map((extension) => `.${extension}`).join(", ")
      return yield* new DocumentUnreadable({
        reason: `Documents of this kind can't be read. Those that can end in ${known}.`
      })
    }
    yield* agrees(name, kind, bytes)
    switch (kind) {
      case "text":
        return decodeText(bytes)
      case "image":
        return "[This is an image. Its content can't be seen here; ask the user to describe it if it matters.]"
      case "pdf": {
        const { pdfText } = yield* Effect.promise(() => import("./Pdf.ts"))
        return yield* pdfText(bytes, maxChars)
      }
      case "word": {
        const { wordText } = yield* Effect.promise(() => import("./Word.ts"))
        return yield* wordText(yield* opened(bytes, "word"))
      }
      case "slides": {
        const { slidesText } = yield* Effect.promise(() => import("./Slides.ts"))
        return yield* slidesText(yield* opened(bytes, "ppt"))
      }
      case "sheets": {
        const { sheetsText } = yield* Effect.promise(() => import("./Sheets.ts"))
        return yield* sheetsText(yield* opened(bytes, "xl"), maxChars)
      }
    }
  }).pipe(Effect.map((text) => text.slice(0, maxChars).replace(/\r\n?/g, "\n")))

const programs = { word: "a Word document", ppt: "a PowerPoint presentation", xl: "an Excel workbook" } as const

const opened = (bytes: Uint8Array, folder: keyof typeof programs): Effect.Effect<OfficeParts, DocumentUnreadable> =>
  Effect.filterOrFail(
    officeParts(bytes),
    (parts) => isOffice(parts, folder),
    () => new DocumentUnreadable({ reason: `The file's content is not that of ${programs[folder]}, as its name says.` })
  )
