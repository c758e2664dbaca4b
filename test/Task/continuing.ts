import { assert } from "@effect/vitest"
import type { TaskId } from "@troupe/domain/Ids"
import { Effect } from "effect"
import { type TaskRequest, Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { completes, request } from "../support/GivenTasks.ts"
import { Wire } from "../support/TaskWorld.ts"

export const submitted = (previous: TaskId, message: string, more: Partial<TaskRequest> = {}) =>
  Effect.flatMap(Tasks, (tasks) => tasks.submit(request(message, { continue_task_id: previous, ...more })))

/** A continuation that ended with an answer. */
export const continued = (previous: TaskId, message: string, answer: string, more: Partial<TaskRequest> = {}) =>
  submitted(previous, message, more).pipe(
    Effect.map(({ id }) => id),
    Effect.tap((id) => completes(id, answer))
  )

export const contextOf = (id: TaskId) =>
  Effect.flatMap(Wire, ({ query }) =>
    Effect.map(
      query<{ context: string | null }>("select context from tasks where id = $1", [id]),
      ([row]) => row?.context ?? ""
    ))

export const told = (previous: TaskId, more: Partial<TaskRequest> = {}) =>
  Effect.flatMap(submitted(previous, "Shorter please, same rules", more), ({ id }) => contextOf(id))

export const inOrder = (text: string, words: ReadonlyArray<string>) =>
  assert.deepStrictEqual(words.toSorted((a, b) => text.indexOf(a) - text.indexOf(b)), words, text)
