import type { TaskId } from "@troupe/domain/Ids"
import type { Modelled } from "@troupe/domain/Step"
import { inStatus, type TaskState } from "@troupe/domain/TaskState"
import { Effect } from "effect"
import type { StepWrite } from "../../src/Task/Journal/StepWrite.ts"
import { stepAfter } from "../support/GivenTasks.ts"
import { Wire } from "../support/TaskWorld.ts"

export const said = (content: string): Modelled => ({
  kind: "model",
  message: { role: "assistant", content, tool_calls: [] },
  tokens: [10, 5],
  millis: 7
})

export const running: TaskState = inStatus("task", "running")

/** The first step of a task that nobody claimed yet, but for what the test says. */
export const write = (taskId: TaskId, over: Partial<StepWrite> = {}): StepWrite =>
  stepAfter({ taskId, epoch: 0, seq: 0, type: "task" }, over.step ?? said("Hello"), over)

/** A command for the task, as the doors write one. */
export const send = (id: TaskId, key: string) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("insert into inbox (task_id, key, number, body) values ($1, $2, 1, '{}')", [id, key])
    yield* query("update actors set inbox_sent = inbox_sent + 1 where task_id = $1", [id])
  })

export const keysOf = (id: TaskId) =>
  Effect.flatMap(
    Wire,
    ({ query }) => query<{ readonly key: string }>("select key from inbox where task_id = $1 order by key", [id])
  ).pipe(
    Effect.map((rows) => rows.map(({ key }) => key))
  )
