import { Effect, Either, Option, Predicate, Schema } from "effect"
import { getDocumentProxy } from "unpdf"
import type { PDFPageProxy } from "unpdf/pdfjs"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

/** More pages than documents have that can be read in time. A small file can claim billions. */
const maxPages = 20_000

/** A valid document lists each page once. A page tree whose nodes repeat their children has 2^n pages in n nodes. */
const maxRepeated = 100

export const pdfText = (bytes: Uint8Array, maxChars: number): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const pdf = yield* orUnreadable(() =>
      getDocumentProxy(Uint8Array.from(bytes), { isEvalSupported: false, verbosity: 0 })
    )
    if (pdf.numPages > maxPages) {
      return yield* new DocumentUnreadable({
        reason: `The PDF has ${pdf.numPages} pages; at most ${maxPages} are read. Ask for a part of it.`
      })
    }
    const pages: Array<string> = []
    const seen = new Set<string>()
    let chars = 0
    let words = false
    let broken: DocumentUnreadable | null = null
    for (let number = 1; number <= pdf.numPages && chars < maxChars; number++) {
      const page = yield* Effect.either(orUnreadable(() => pdf.getPage(number)))
      const ref = Either.isRight(page) ? page.right.ref : null
      seen.add(Either.isLeft(page) ? `${number}` : ref === null ? "" : `${ref.num} ${ref.gen}`)
      if (number - seen.size > maxRepeated) {
        return yield* new DocumentUnreadable({
          reason: "The PDF is damaged or made to be slow: its page tree lists the same pages again and again."
        })
      }
      const text = yield* Effect.either(Effect.flatMap(page, textOf))
      if (Either.isLeft(text)) broken ??= text.left
      else words ||= text.right !== ""
      const shown = Either.getOrElse(text, () => "[The page is damaged: it can't be read]") || noText
      pages.push(`[Page ${number} of ${pdf.numPages}]\n${shown}`)
      chars += shown.length
    }
    if (!words) {
      return yield* broken ?? new DocumentUnreadable({
        reason: "The PDF has pages but no text: perhaps they are scanned images, which can't be read here."
      })
    }
    return pages.join("\n\n")
  })

const noText = "[No text: the page is empty or a scanned image, which can't be read here]"

/** The text of a page, with the values of forms and the comments, which are apart from it. */
const textOf = (page: PDFPageProxy): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const { items } = yield* orUnreadable(() => page.getTextContent())
    let text = ""
    for (const item of items) if ("str" in item) text += item.hasEOL ? `${item.str}\n` : item.str
    const annotations = yield* Effect.option(orUnreadable(() => page.getAnnotations()))
    page.cleanup()
    const added = Option.match(annotations, {
      onNone: () => ["[The form and the comments of this page can't be read]"],
      onSome: (found) => found.flatMap(annotationLines)
    })
    return [text.trim(), ...added].filter((line) => line !== "").join("\n")
  })

const Annotation = Schema.Struct({
  fieldName: Schema.optional(Schema.String),
  fieldValue: Schema.optional(Schema.NullOr(Schema.Union(Schema.String, Schema.Array(Schema.String)))),
  pushButton: Schema.optional(Schema.Boolean),
  radioButton: Schema.optional(Schema.Boolean),
  buttonValue: Schema.optional(Schema.NullOr(Schema.String)),
  contentsObj: Schema.optional(Schema.Struct({ str: Schema.String }))
})

/** The value of a field of a form, or a comment. A group of radio buttons shows the one that is chosen. */
const annotationLines = (found: unknown): ReadonlyArray<string> => {
  const annotation = Schema.decodeUnknownOption(Annotation)(found)
  if (Option.isNone(annotation)) return []
  const { buttonValue, contentsObj, fieldName, fieldValue, pushButton, radioButton } = annotation.value
  if (fieldName !== undefined) {
    const value = [fieldValue ?? ""].flat().join(", ").trim()
    const isShown = value !== "" && pushButton !== true && (radioButton !== true || value === buttonValue)
    return isShown ? [`[Field ${fieldName}: ${value}]`] : []
  }
  const comment = contentsObj?.str.trim() ?? ""
  return comment === "" ? [] : [`[Comment: ${comment}]`]
}

const orUnreadable = <A>(work: () => Promise<A>): Effect.Effect<A, DocumentUnreadable> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new DocumentUnreadable({
        reason: Predicate.hasProperty(cause, "name") && cause.name === "PasswordException"
          ? "The PDF is protected by a password. Ask for a copy without one."
          : "The PDF is damaged or cut short: its pages can't be read."
      })
  })
