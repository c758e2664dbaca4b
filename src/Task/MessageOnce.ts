import { TaskId } from "@troupe/domain/Ids"
import { IdempotencyConflict, type Task, type TaskNotFound } from "@troupe/domain/Task"
import { Effect, Option } from "effect"
import type { TaskRepo } from "./TaskRepo.ts"
import type { IdempotencyKey, Tasks } from "./Tasks.ts"
import { ownerOf } from "./TaskSubmission.ts"
import type { TaskTransactions } from "./TaskTransactions.ts"

interface Services {
  readonly find: (id: TaskId) => Effect.Effect<Task, TaskNotFound>
  readonly message: Tasks["Type"]["message"]
  readonly repo: TaskRepo["Type"]
  readonly transactions: TaskTransactions["Type"]
}

export const makeMessageOnce = ({ find, message, repo, transactions }: Services): Tasks["Type"]["messageOnce"] => {
  const answerAgain = Effect.fnUntraced(function*(owner: string, { digest, key }: IdempotencyKey) {
    const known = yield* repo.findKey(owner, key)
    if (Option.isNone(known) || known.value.digest !== digest) {
      return yield* new IdempotencyConflict({ key, because: "other body" })
    }
    return yield* Effect.mapError(
      find(TaskId.make(known.value.task_id)),
      () => new IdempotencyConflict({ key, because: "task deleted" })
    )
  })

  const send = Effect.fnUntraced(function*(
    [id, text, userId]: Parameters<typeof message>,
    owner: string,
    { digest, key }: IdempotencyKey
  ) {
    if (!(yield* repo.takeKey({ caller: owner, key, digest, task_id: id }))) return Option.none()
    const task = yield* message(id, text, userId)
    if (task.id !== id) yield* repo.assignKey(owner, key, task.id)
    return Option.some(task)
  })

  return Effect.fn("Tasks.messageOnce")(function*(id, text, userId, idempotency) {
    const owner = ownerOf(idempotency.caller)
    const sent = yield* transactions.run(send([id, text, userId], owner, idempotency)).pipe(
      Effect.catchTag("SqlError", Effect.die)
    )
    return Option.isSome(sent) ? sent.value : yield* answerAgain(owner, idempotency)
  })
}
