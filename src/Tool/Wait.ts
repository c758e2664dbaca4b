import * as Tool from "@effect/ai/Tool"
import { plural } from "@troupe/domain/Plural"
import { Clock, Effect, Schema } from "effect"
import type { AgentTool } from "./AgentTool.ts"
import { implement } from "./ToolHandler.ts"
import { readOnly } from "./ToolHints.ts"

/** A longer wait parks the task. */
const maxSecondsInPlace = 5

const maxSeconds = 86_400

const parameters = {
  seconds: Schema.Number.pipe(Schema.between(0, maxSeconds)).annotations({
    description: "How many seconds to wait, 0 to 86400 (one day)"
  })
}

const Wait = Tool.make("wait", {
  description:
    "Wait before going on, for example until a job that another tool has started is done; then check whether "
    + "it is. Waiting long is cheap, checking often is not. At most one day; to do something at a set time tomorrow or "
    + "later, tell the user to schedule it.",
  parameters
}).annotateContext(readOnly)

export const wait: AgentTool = implement(Wait, {
  timeout: "30 seconds",
  run: ({ seconds }) => {
    const content = `Waited ${plural(seconds, "second")}.`
    return seconds <= maxSecondsInPlace
      ? Effect.as(Effect.sleep(seconds * 1_000), content)
      : Effect.map(Clock.currentTimeMillis, (now) => ({
        _tag: "Deferred",
        until: Math.ceil(now + seconds * 1_000),
        content
      }))
  }
})
