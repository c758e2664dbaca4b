import { Clock, Effect, Schema } from "effect"
import { define } from "./Definition.ts"
import type { Tool } from "./Tool.ts"

/** Up to this many seconds are waited in place; for more the task is put to sleep and costs nothing meanwhile. */
const maxSecondsInPlace = 5

const maxSeconds = 86_400

const parameters = Schema.Struct({
  seconds: Schema.Number.pipe(Schema.between(0, maxSeconds)).annotations({
    description: "How many seconds to wait, 0 to 86400 (one day)"
  })
})

/** wait: lets time pass, so that something begun elsewhere can get done. */
export const wait: Tool = define({
  name: "wait",
  description: "Wait before going on, for example until a job that another tool has started is done; then look whether "
    + "it is. Waiting long is cheap, looking often is not. At most one day; to do something at a set time tomorrow or "
    + "later, tell the user to schedule it.",
  parameters,
  effect: "read",
  timeout: "30 seconds",
  run: ({ seconds }) => {
    const content = `Waited ${seconds} ${seconds === 1 ? "second" : "seconds"}.`
    return seconds <= maxSecondsInPlace
      ? Effect.as(Effect.sleep(seconds * 1_000), content)
      : Effect.map(Clock.currentTimeMillis, (now) => ({
        _tag: "Deferred" as const,
        until: Math.ceil(now + seconds * 1_000),
        content
      }))
  }
})
