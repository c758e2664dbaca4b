import { TaskId, ToolCallId, UserId } from "@troupe/domain/Ids"
import type { ToolCall } from "@troupe/domain/Message"
import { Effect } from "effect"
import type { ToolContext } from "../../src/Tool/AgentTool.ts"
import type { Toolbox } from "../../src/Tool/Toolbox.ts"

export const alice = UserId.make("alice")

export const context: ToolContext = {
  taskId: TaskId.make("01890a5d-ac96-774b-bcce-b302099a8057"),
  userId: alice,
  callId: "call-1"
}

export const callOf = (name: string, args: unknown, id = context.callId): ToolCall => ({
  id: ToolCallId.make(id),
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})

export const contentOf = (toolbox: Toolbox, name: string, args: unknown) =>
  Effect.map(toolbox.call(callOf(name, args), context), ({ content }) => content)
