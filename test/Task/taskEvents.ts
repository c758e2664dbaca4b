import type { Step } from "@troupe/domain/Step"
import { call } from "../support/ScriptedModel.ts"

export const model = (content: string, ...calls: ReadonlyArray<string>): Step => ({
  kind: "model",
  message: { role: "assistant", content, tool_calls: calls.map((id) => call(id, "look")) },
  tokens: [10, 5],
  millis: 1,
  ...(calls.length === 0 ? { end: "answered" as const } : {})
})
