import { decline } from "@troupe/domain/ServerQuestion"
import { Effect, Layer, Stream } from "effect"
import { OnQuestionExpired } from "../../Tool/OnQuestionExpired.ts"
import { TaskSignals } from "../Row/TaskSignals.ts"
import { TaskCommands } from "./TaskCommands.ts"

/** Ends the wait of a task for an answer to a question that its tool server has taken back or that was declined. */
export const layer: Layer.Layer<OnQuestionExpired, never, TaskCommands | TaskSignals> = Layer.effect(
  OnQuestionExpired,
  Effect.map(
    Effect.all([TaskCommands, TaskSignals]),
    ([{ answer }, { commands }]) => ({
      expired: (task, question) =>
        Effect.asVoid(answer(task, decline, null, { call: question, given: { action: "decline", expired: true } })),
      cancelled: (task) =>
        commands.pipe(
          Stream.filter((signal) => signal._tag === "Revoked" && signal.tasks.has(task)),
          Stream.take(1),
          Stream.runDrain
        )
    })
  )
)
