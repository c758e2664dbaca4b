import { Effect, Either } from "effect"
import type { DocumentUnreadable } from "./DocumentUnreadable.ts"

/**
 * The texts of the parts of a document, such as its slides, one after the other. One that can't be read costs itself: a
 * mark names it. Fails if none can be read.
 */
export const textOfParts = (
  parts: ReadonlyArray<{ readonly name: string; readonly text: Effect.Effect<string, DocumentUnreadable> }>
): Effect.Effect<string, DocumentUnreadable> =>
  Effect.gen(function*() {
    const texts = yield* Effect.forEach(parts, ({ text }) => Effect.either(text))
    const [first] = texts
    if (first !== undefined && Either.isLeft(first) && texts.every(Either.isLeft)) return yield* first
    return texts.map((text, index) =>
      Either.getOrElse(text, ({ reason }) => `[${parts[index]?.name ?? ""} can't be read: ${reason}]`)
    ).join("\n\n")
  })
