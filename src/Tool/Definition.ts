import { Duration, Effect, Either, ParseResult, Predicate, Schema } from "effect"
import { expectation, type JsonSchema, parameterSchema } from "./ParameterSchema.ts"
import { type Tool, type ToolContext, type ToolEffect, ToolFailed, type ToolOutcome } from "./Tool.ts"

/** A tool in the terms of its author: decoded arguments in, an outcome or just its text out. */
export interface Definition<A, I> {
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Schema<A, I>
  readonly effect: ToolEffect | ((args: A) => ToolEffect)
  readonly timeout: Duration.DurationInput
  readonly run: (args: A, context: ToolContext) => Effect.Effect<ToolOutcome | string, ToolFailed>
}

/**
 * Makes a tool of an Effect schema. Arguments that don't fit are answered with the name of each wrong field and what
 * belongs there; those that are optional may be null, as models write that for "none".
 */
export const define = <A, I>(definition: Definition<A, I>): Tool => {
  const { description, effect, name, run, timeout } = definition
  const parameters = parameterSchema(definition.parameters)
  const parse = Schema.decodeUnknownEither(definition.parameters, { errors: "all", onExcessProperty: "error" })
  const decode = (args: unknown) => parse(withoutNulls(args, parameters))
  return {
    name,
    description,
    parameters,
    timeoutMillis: Duration.toMillis(timeout),
    effect: typeof effect === "string"
      ? (args) => Either.match(decode(args), { onLeft: () => "read", onRight: () => effect })
      : (args) => Either.match(decode(args), { onLeft: () => "read", onRight: effect }),
    run: (args, context) =>
      Effect.flatMap(
        Either.mapLeft(decode(args), (error) => misfit(args, error, parameters)),
        (decoded) =>
          Effect.map(run(decoded, context), (outcome): ToolOutcome =>
            typeof outcome === "string" ? { _tag: "Answered", content: outcome } : outcome)
      )
  }
}

const propertiesOf = (parameters: JsonSchema): JsonSchema =>
  Predicate.isRecord(parameters["properties"]) ? parameters["properties"] : {}

const requiredOf = (parameters: JsonSchema): ReadonlyArray<unknown> =>
  Array.isArray(parameters["required"]) ? parameters["required"] : []

const withoutNulls = (args: unknown, parameters: JsonSchema): unknown => {
  if (!Predicate.isReadonlyRecord(args) || Array.isArray(args)) return args
  const required = requiredOf(parameters)
  const optional = (name: string) => Object.hasOwn(propertiesOf(parameters), name) && !required.includes(name)
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || !optional(name)))
}

const misfit = (args: unknown, error: ParseResult.ParseError, parameters: JsonSchema): ToolFailed => {
  const properties = propertiesOf(parameters)
  const required = requiredOf(parameters)
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const fields = [...new Set(issues.map(({ path }) => path[0]).filter(Predicate.isString))].slice(0, 5)
  const wrong = fields.map((field) => {
    if (!Object.hasOwn(properties, field)) return `there is no parameter ${quoted(field)}`
    const wanted = `${quoted(field)} must be ${expectation(properties[field])}`
    const given = Predicate.isReadonlyRecord(args) && Object.hasOwn(args, field) ? args[field] : undefined
    return given === undefined ? `${wanted} and is missing` : `${wanted}, not ${quoted(given)}`
  })
  // A rule about several fields at once (a filter on the whole struct) has no field to name.
  const whole = issues.filter(({ path }) => path.length === 0).map(({ message }) => message)
  const known = Object.keys(properties).map((name) => required.includes(name) ? name : `${name} (optional)`)
  return new ToolFailed({
    reason: `the arguments don't fit: ${[...wrong, ...whole].join("; ")}. `
      + `The parameters are: ${known.length === 0 ? "none" : known.join(", ")}.`
  })
}

const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`
}
