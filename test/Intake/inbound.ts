import { Effect } from "effect"
import { type InboundHandler, type InboundMessage } from "../../src/Intake/InboundMessage.ts"
import { webhookSource } from "../../src/Intake/Webhook/Webhooks.ts"
import { AttemptFailed } from "../../src/Queue/AttemptFailed.ts"
import { Tasks } from "../../src/Task/Tasks.ts"
import { request } from "../support/GivenTasks.ts"
import { Wire } from "../support/TaskWorld.ts"

export const countTasks = Effect.flatMap(Wire, ({ query }) => query("select from tasks")).pipe(
  Effect.map((found) => found.length)
)

export const all = (state: string) => (found: ReadonlyArray<string>) =>
  found.length > 0 && found.every((one) => one === state)

/** Makes a task of each message, after `before` has run outside of the transaction. */
export const makesTasks = (
  before: (message: InboundMessage) => Effect.Effect<void, AttemptFailed> = () => Effect.void
): InboundHandler<AttemptFailed, Tasks> => ({
  source: webhookSource,
  prepare: (message) =>
    Effect.zipRight(
      before(message),
      Effect.succeed(
        Effect.flatMap(Tasks, (tasks) => tasks.submit(request(Buffer.from(message.body).toString()))).pipe(
          Effect.map(({ id }) => ({ taskId: id })),
          Effect.mapError(({ message }) => AttemptFailed.refused(message))
        )
      )
    )
})
