import { Effect, Predicate } from "effect"
import { getDocumentProxy } from "unpdf"
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
    for (let number = 1; number <= pdf.numPages && chars < maxChars; number++) {
      const page = yield* orUnreadable(() => pdf.getPage(number))
      seen.add(page.ref === null ? "" : `${page.ref.num} ${page.ref.gen}`)
      if (number - seen.size > maxRepeated) {
        return yield* new DocumentUnreadable({
          reason: "The PDF is damaged or made to be slow: its page tree lists the same pages again and again."
        })
      }
      const { items } = yield* orUnreadable(() => page.getTextContent())
      let text = ""
      for (const item of items) if ("str" in item) text += item.hasEOL ? `${item.str}\n` : item.str
      page.cleanup()
      words ||= text.trim() !== ""
      pages.push(`[Page ${number} of ${pdf.numPages}]\n${text.trim()}`)
      chars += text.length
    }
    if (!words) {
      return yield* new DocumentUnreadable({
        reason: "The PDF has pages but no text: perhaps they are scanned images, which can't be read here."
      })
    }
    return pages.join("\n\n")
  })

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
