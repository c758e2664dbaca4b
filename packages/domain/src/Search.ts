import { Schema } from "effect"

/** A listing, search or report was given up: it took too long, or too many others were waiting. */
export class SearchUnfinished extends Schema.TaggedError<SearchUnfinished>()("SearchUnfinished", {
  reason: Schema.Literal("slow", "busy")
}) {
  override get message() {
    return this.reason === "slow"
      ? "Looking that up took too long. Ask for less, by more filters or other words, or try again later."
      : "Too many listings and searches are waiting already. Try again in a moment."
  }
}
