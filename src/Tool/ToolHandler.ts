import type * as Tool from "@effect/ai/Tool"
import { Duration, Effect, Either, ParseResult, Predicate, Schema } from "effect"
import {
  type AgentTool,
  type CallReview,
  type ToolAttributes,
  type ToolChanges,
  type ToolContext,
  type ToolEffect,
  ToolFailed,
  type ToolOutcome
} from "./AgentTool.ts"
import { expectation, type JsonSchema, parameterSchemaOf } from "./ParameterSchema.ts"

/** What a built-in tool declares, and does with its decoded arguments; a string is the text of an answer. */
export interface ToolHandler<Args> extends ToolAttributes {
  readonly timeout: Duration.DurationInput
  /** Where it does not follow from `changes`: a call that changes nothing reads, one that changes the user's own is idempotent. */
  readonly effect?: ToolEffect | ((args: Args) => ToolEffect)
  readonly review?: (args: Args, context: ToolContext) => Effect.Effect<CallReview, ToolFailed>
  readonly run: (args: Args, context: ToolContext) => Effect.Effect<ToolOutcome | string, ToolFailed>
}

const effects: Readonly<Record<ToolChanges, ToolEffect>> = { nothing: "read", own: "idempotent", outside: "outside" }

/** A tool of `@effect/ai` with typed parameters; results and failures are texts for the model. */
export type ToolOf<Parameters extends Tool.AnyParametersSchema & Schema.Schema.AnyNoContext> = Tool.Tool<string, {
  readonly parameters: Parameters
  readonly success: typeof Schema.Void
  readonly failure: typeof Schema.Never
  readonly failureMode: "error"
}>

/**
 * Binds a tool to its handler. Invalid arguments are answered with each wrong field and the expected value. An optional
 * argument may be null, because models write that for "none".
 */
export const implement = <Parameters extends Tool.AnyParametersSchema & Schema.Schema.AnyNoContext>(
  tool: ToolOf<Parameters>,
  handler: ToolHandler<Schema.Schema.Type<Parameters>>
): AgentTool => {
  const { decode, parameters } = argumentsOf(tool)
  const { effect = effects[handler.changes], review, run, timeout, ...attributes } = handler
  return {
    ...attributes,
    name: tool.name,
    description: tool.description ?? "",
    parameters,
    timeoutMillis: Duration.toMillis(timeout),
    effect: (args) =>
      Either.match(decode(args), {
        onLeft: () => "read",
        onRight: (decoded) => (typeof effect === "function" ? effect(decoded) : effect)
      }),
    ...(review === undefined
      ? {}
      : { review: (args, context) => Effect.flatMap(decode(args), (decoded) => review(decoded, context)) }),
    run: (args, context) =>
      Effect.flatMap(
        decode(args),
        (decoded) =>
          Effect.map(run(decoded, context), (outcome): ToolOutcome =>
            typeof outcome === "string" ? { _tag: "Answered", content: outcome } : outcome)
      )
  }
}

/** The parameters of a tool as JSON Schema, and the decoder of a call's arguments. */
export const argumentsOf = <Parameters extends Tool.AnyParametersSchema & Schema.Schema.AnyNoContext>(
  tool: ToolOf<Parameters>
) => {
  const parameters = parameterSchemaOf(tool)
  const parse = Schema.decodeUnknownEither(tool.parametersSchema, { errors: "all", onExcessProperty: "error" })
  const decode = (args: unknown): Either.Either<Schema.Schema.Type<Parameters>, ToolFailed> =>
    Either.mapLeft(
      parse(withoutNulls(args, parameters)),
      (error) => invalidArguments(args, error, parameters)
    )
  return { parameters, decode }
}

const propertiesOf = (parameters: JsonSchema): JsonSchema =>
  Predicate.isRecord(parameters["properties"]) ? parameters["properties"] : {}

const requiredOf = (parameters: JsonSchema): ReadonlyArray<unknown> =>
  Array.isArray(parameters["required"]) ? parameters["required"] : []

const withoutNulls = (args: unknown, parameters: JsonSchema): unknown => {
  if (!Predicate.isReadonlyRecord(args)) return args
  const required = requiredOf(parameters)
  const optional = (name: string) => Object.hasOwn(propertiesOf(parameters), name) && !required.includes(name)
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => value !== null || !optional(name)))
}

const invalidArguments = (args: unknown, error: ParseResult.ParseError, parameters: JsonSchema): ToolFailed => {
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
  const known = Object.keys(properties).map((name) => required.includes(name) ? name : `${name} (optional)`)
  return new ToolFailed({
    reason: `the arguments don't fit: ${wrong.join("; ")}. `
      + `The parameters are: ${known.length === 0 ? "none" : known.join(", ")}.`
  })
}

const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`
}
