import * as Tool from "@effect/ai/Tool"
import { type Duration, Effect, Schema } from "effect"
import type { AgentTool, ToolFailed, ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { implement } from "../../src/Tool/ToolHandler.ts"
import { fakeTool } from "../support/FakeTool.ts"

export const parameters = {
  text: Schema.String.annotations({ description: "What to say" }),
  times: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 9)), { default: () => 1 }),
  tone: Schema.optional(Schema.Literal("kind", "stern"))
}

export const say = implement(Tool.make("say", { description: "Say something", parameters }), {
  effect: ({ times }) => (times > 1 ? "outside" : "idempotent"),
  timeout: "10 seconds",
  run: (args, { userId }) => Effect.succeed(`${userId}: ${args.text.repeat(args.times)}`)
})

export const running = (
  name: string,
  run: Effect.Effect<ToolOutcome | string, ToolFailed>,
  timeout: Duration.DurationInput = "10 seconds"
): AgentTool => fakeTool(name, run, { effect: "outside", timeout })
