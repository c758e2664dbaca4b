import * as Tool from "@effect/ai/Tool"
import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import { type Duration, Effect, Schema } from "effect"
import type { AgentTool, ToolFailed, ToolOutcome } from "../../src/Tool/AgentTool.ts"
import { type Toolbox } from "../../src/Tool/Toolbox.ts"
import { implement } from "../../src/Tool/ToolHandler.ts"
import { fakeTool } from "../support/FakeTool.ts"

export const context = {
  taskId: TaskId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  userId: UserId.make("alice"),
  callId: "call-1"
}

export const callOf = (name: string, args: unknown): ToolCall => ({
  id: ToolCallId.make("call-1"),
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})

export const contentOf = (toolbox: Toolbox, name: string, args: unknown) =>
  Effect.map(toolbox.call(callOf(name, args), context), ({ content }) => content)

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
