import { Schema } from "effect"

/** What a check of an installation found. */
export const Finding = Schema.Struct({
  check: Schema.String.annotations({ description: "What was checked, in a word or two" }),
  /** `error` keeps the service from working, `warning` limits it, `skipped` was not set up or not asked for. */
  status: Schema.Literal("ok", "warning", "error", "skipped"),
  detail: Schema.String.annotations({ description: "What was found" }),
  fix: Schema.NullOr(Schema.String).annotations({ description: "What to do about it" }),
  url: Schema.optional(
    Schema.String.annotations({ description: "The port's: where the service answers with these settings" })
  )
}).annotations({ identifier: "Finding" })
export type Finding = typeof Finding.Type

export const ok = (check: string, detail: string): Finding => ({ check, status: "ok", detail, fix: null })

const withFix = (status: Finding["status"]) => (check: string, detail: string, fix: string): Finding => ({
  check,
  status,
  detail,
  fix
})

export const skipped = withFix("skipped")
export const warning = withFix("warning")
export const error = withFix("error")
