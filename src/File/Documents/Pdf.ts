import { Effect, Predicate } from "effect"
import { getDocumentProxy } from "unpdf"
import { DocumentUnreadable } from "./DocumentUnreadable.ts"

export const pdfText = (bytes: Uint8Array, maxChars: number): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const pdf = yield* orUnreadable(() =>
      getDocumentProxy(Uint8Array.from(bytes), { isEvalSupported: false, verbosity: 0 })
    )
    const pages: Array<string> = []
    let chars = 0
    let words = false
    for (let number = 1; number <= pdf.numPages && chars < maxChars; number++) {
      const page = yield* orUnreadable(() => pdf.getPage(number))
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
