import * as Tool from "@effect/ai/Tool"
import type { CurrentUser } from "@troupe/api/Authentication"
import { Context, Effect, Option, Schema } from "effect"
import { ToolFailed } from "../Tool/AgentTool.ts"
import type { JsonSchema } from "../Tool/ParameterSchema.ts"
import { argumentsOf, type ToolOf } from "../Tool/ToolHandler.ts"

/** Annotations of a tool that changes nothing. */
export const readOnly = Context.make(Tool.Readonly, true).pipe(
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true),
  Context.add(Tool.OpenWorld, false)
)

/** A resource that a result refers to. */
export interface ResourceLink {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  readonly size?: number
}

export interface ToolAnswer {
  readonly content: Readonly<Record<string, unknown>>
  readonly links?: ReadonlyArray<ResourceLink>
}

/** Sends the client a line about the progress of its call. */
export type ReportProgress = (message: string) => Effect.Effect<void>

/** A tool that this service offers to MCP clients. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  /** `report` is null for a client that did not ask for progress. */
  readonly run: (args: unknown, report: ReportProgress | null) => Effect.Effect<ToolAnswer, ToolFailed, CurrentUser>
}

/** An optional whole number among a tool's parameters. */
export const count = (from: number, to: number, given: { readonly default: number; readonly description: string }) =>
  Schema.optionalWith(
    Schema.Int.pipe(Schema.between(from, to)).annotations({ description: given.description }),
    { default: () => given.default }
  )

/** Binds a tool to a use-case. Invalid arguments and the use-case's errors are answers that the model can read. */
export const implement = <Parameters extends Tool.AnyParametersSchema & Schema.Schema.AnyNoContext>(
  tool: ToolOf<Parameters>,
  run: (
    args: Schema.Schema.Type<Parameters>,
    report: ReportProgress | null
  ) => Effect.Effect<ToolAnswer, { readonly message: string }, CurrentUser>
): McpTool => {
  const { decode, parameters } = argumentsOf(tool)
  return {
    name: tool.name,
    title: Option.getOrElse(Context.getOption(tool.annotations, Tool.Title), () => tool.name),
    description: tool.description ?? "",
    parameters,
    annotations: {
      readOnlyHint: Context.get(tool.annotations, Tool.Readonly),
      destructiveHint: Context.get(tool.annotations, Tool.Destructive),
      idempotentHint: Context.get(tool.annotations, Tool.Idempotent),
      openWorldHint: Context.get(tool.annotations, Tool.OpenWorld)
    },
    run: (args, report) =>
      Effect.flatMap(
        decode(args ?? {}),
        (decoded) => Effect.mapError(run(decoded, report), ({ message }) => new ToolFailed({ reason: message }))
      )
  }
}
