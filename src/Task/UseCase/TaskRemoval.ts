import type { NotAllowed } from "@troupe/domain/Caller"
import type { TaskId, UserId } from "@troupe/domain/Ids"
import type { Task, TaskNotFound } from "@troupe/domain/Task"
import { isTerminal } from "@troupe/domain/TaskState"
import { Effect } from "effect"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { TaskCommands } from "../Command/TaskCommands.ts"
import { TaskRepo } from "../Read/TaskRepo.ts"

interface Removing {
  readonly callerId: Effect.Effect<UserId | null>
  readonly checkDeletion: (id: TaskId) => Effect.Effect<unknown, NotAllowed>
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
}

/** Archives tasks, restores them, and deletes those that are archived. */
export const makeRemoval = Effect.fnUntraced(function*({ callerId, checkDeletion, find }: Removing) {
  const commands = yield* TaskCommands
  const repo = yield* TaskRepo
  const { findRow } = repo

  const removeWhole = (ids: ReadonlyArray<TaskId>) => asService(commands.removeAll(ids))

  /** False if it was deleted meanwhile. The subtasks of a finished task may still run. */
  const archiveNow = (id: TaskId) =>
    callerId.pipe(
      Effect.flatMap((by) => commands.cancel(id, "Cancelled: the task was archived.", { by, silent: true })),
      Effect.zipRight(commands.archive(id))
    )

  const archive = Effect.fn("Tasks.archive")(function*(id: TaskId) {
    const row = yield* findRow(id)
    yield* checkDeletion(id)
    if (row.archived_at === null) yield* archiveNow(id)
  })

  const restore = Effect.fn("Tasks.restore")(function*(id: TaskId) {
    yield* findRow(id)
    yield* checkDeletion(id)
    yield* commands.restore(id)
    return yield* find(id)
  })

  const remove = Effect.fn("Tasks.remove")(function*(id: TaskId) {
    const row = yield* findRow(id)
    yield* checkDeletion(id)
    if (row.archived_at !== null) {
      // It was retried since it was archived: the cancellation tells those that wait for it that it is finished.
      if (!isTerminal(row.status)) {
        yield* commands.cancel(id, deleted, { by: yield* callerId, silent: true })
      }
      yield* removeWhole([id])
      return
    }
    if (!(yield* archiveNow(id))) yield* removeWhole([id])
  })
  const removeArchived = Effect.fn("Tasks.removeArchived")(function*(ids: ReadonlyArray<TaskId>) {
    const archived = yield* Effect.flatMap(repo.archived(ids), repo.deletable)
    yield* commands.cancelAll(archived, deleted, { by: yield* callerId, silent: true })
    return yield* removeWhole(archived)
  })

  return { archive, restore, remove, removeArchived }
})

const deleted = "Cancelled: the task was deleted."
