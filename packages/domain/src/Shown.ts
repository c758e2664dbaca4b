import { Schema } from "effect"
import { PolicyEffect, Preset, ToolClass } from "./Policy.ts"

/** What a step showed the model beyond the words of the task's people and of the service. */
export const Shown = Schema.Struct({
  /** What it was, in a few words that follow "because of". */
  outside: Schema.optional(Schema.String),
  private: Schema.optional(Schema.Literal(true))
})
export type Shown = typeof Shown.Type

export const mergedShown = (all: ReadonlyArray<Shown | undefined>): Shown => {
  const outside = all.find((one) => one?.outside !== undefined)?.outside
  return {
    ...(outside === undefined ? {} : { outside }),
    ...(all.some((one) => one?.private === true) ? { private: true } : {})
  }
}

/** A file with the digest of its content. */
export const FileVersion = Schema.Struct({ path: Schema.String, digest: Schema.String })
export type FileVersion = typeof FileVersion.Type

/** Why a call was allowed, asked about or denied. */
export const DecisionCause = Schema.Literal("rule", "preset", "mail", "leaves", "grant", "approval")
export type DecisionCause = typeof DecisionCause.Type

/** A value that most stored texts have, which they leave out. */
const usual = <A extends string | number>(schema: Schema.Schema<A>, value: A) =>
  Schema.optionalWith(schema, { default: () => value })

/** What the service decides about most calls: where nobody has written a rule, its usual preset allows them. */
export const usualDecision = { revision: 0, preset: "balanced", effect: "allow", cause: "preset" } as const

/** What was decided about the calls of a step, by which revision of the rules. */
export const Decided = Schema.Struct({
  revision: usual(Schema.Int, usualDecision.revision),
  preset: usual(Preset, usualDecision.preset),
  calls: Schema.Array(Schema.Struct({
    id: Schema.String,
    class: ToolClass,
    effect: usual(PolicyEffect, usualDecision.effect),
    cause: usual(DecisionCause, usualDecision.cause),
    /** Place of the rule. */
    rule: Schema.optional(Schema.Int),
    grant: Schema.optional(Schema.String),
    /** Of a message to people, as `PolicyCall` has it. */
    message: Schema.optional(Schema.Struct({ isUnexpected: Schema.Boolean, leaves: Schema.Boolean }))
  }))
})
export type Decided = typeof Decided.Type
