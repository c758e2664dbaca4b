import { Effect } from "effect"
import { Wire } from "../support/TaskWorld.ts"

export const countTasks = Effect.flatMap(Wire, ({ query }) => query("select from tasks")).pipe(
  Effect.map((rows) => rows.length)
)
