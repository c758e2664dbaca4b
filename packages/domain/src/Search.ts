import { Schema } from "effect"

export class SearchUnfinished extends Schema.TaggedError<SearchUnfinished>()("SearchUnfinished", {
  reason: Schema.Literal("slow", "busy")
}) {
  override get message() {
    return this.reason === "slow"
      ? "The search timed out. Narrow it by filters or other words, or try again later."
      : "Too many listings and searches are waiting. Try again in a moment."
  }
}
