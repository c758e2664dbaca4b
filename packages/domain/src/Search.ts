import { Schema } from "effect"

export class SearchUnfinished extends Schema.TaggedError<SearchUnfinished>()("SearchUnfinished", {
  reason: Schema.Literal("slow", "busy")
}) {
  override get message() {
    return this.reason === "slow"
      ? "Looking that up took too long. Ask for less, by more filters or other words, or try again later."
      : "Too many listings and searches are waiting already. Try again in a moment."
  }
}
