import { type Caller, isSelfHosted } from "@troupe/domain/Caller"
import { TaskId, type UserId } from "@troupe/domain/Ids"
import { IdempotencyConflict, type TaskNotFound, TaskRequestInvalid } from "@troupe/domain/Task"
import { outputsOf } from "@troupe/domain/TaskOutcome"
import { isTerminal } from "@troupe/domain/TaskState"
import { titleOf } from "@troupe/domain/Text"
import { DateTime, Effect, Either, Option } from "effect"
import { v7 } from "uuid"
import { Sandbox } from "../File/Sandbox.ts"
import { Users } from "../People/Users.ts"
import { storable } from "../Runtime/StorableText.ts"
import { continuation } from "./FirstMessage.ts"
import { Shards } from "./Shards.ts"
import { type NewTask, TaskRepo } from "./TaskRepo.ts"
import type { IdempotencyKey, TaskRequest } from "./Tasks.ts"
import { newTaskView } from "./TaskView.ts"

export const ownerOf = (caller: Caller) => isSelfHosted(caller) ? "self-hosted" : caller.id

/** Members make no users: who is named in a request of theirs has signed in before. */
export const checkNamed = (users: Users["Type"], path: string, id: UserId): Effect.Effect<void, TaskRequestInvalid> =>
  Effect.mapError(users.checkNamed(id), () => new TaskRequestInvalid({ path, reason: `there is no user ${id}` }))

/** The task of the first request with this key, which had the same body. After its deletion, no second one is made. */
export const acceptedBefore = Effect.fnUntraced(function*<A>(
  repo: TaskRepo["Type"],
  { caller, digest, key }: IdempotencyKey,
  find: (id: TaskId) => Effect.Effect<A, TaskNotFound>
) {
  const known = yield* repo.findKey(ownerOf(caller), key)
  if (Option.isNone(known) || known.value.digest !== digest) {
    return yield* new IdempotencyConflict({ key, because: "other body" })
  }
  return yield* Effect.mapError(
    find(known.value.task_id),
    () => new IdempotencyConflict({ key, because: "task deleted" })
  )
})

export const makeSubmit = Effect.gen(function*() {
  const repo = yield* TaskRepo
  const shards = yield* Shards
  const sandbox = yield* Sandbox
  const users = yield* Users

  const contextOf = Effect.fnUntraced(function*(previous: TaskId) {
    const path = "continue_task_id"
    const { row, steps } = yield* Effect.mapError(
      repo.findWhole(previous),
      () => new TaskRequestInvalid({ path, reason: `there is no task ${previous}` })
    )
    if (!isTerminal(row.status)) {
      return yield* new TaskRequestInvalid({ path, reason: `task ${previous} is still ${row.status}` })
    }
    const text = steps.flatMap(outputsOf).findLast((output) => output.type === "text")
    return storable(continuation({ title: titleOf(row), outcome: text?.content ?? row.error ?? "none" }))
  })

  const checkAttachments = (userId: UserId, names: ReadonlyArray<string>) =>
    Effect.forEach(names, (name, index) =>
      sandbox.statFile(userId, name).pipe(
        Effect.mapError(({ reason }) => new TaskRequestInvalid({ path: `attachments.${index}`, reason }))
      ), { discard: true })

  const checkPeople = ({ assignee, userId }: TaskRequest) =>
    Effect.zipRight(
      checkNamed(users, "user_id", userId),
      Effect.transposeMapOption(assignee, (id) => checkNamed(users, "assignee", id))
    )

  /** Repeats the first answer: with the requested assignee, not one who took the task over later. */
  const answerAgain = ({ assignee }: TaskRequest, idempotency: IdempotencyKey) =>
    Effect.map(
      acceptedBefore(repo, idempotency, repo.findRow),
      (row) => newTaskView({ ...row, assignee: Option.getOrNull(assignee) })
    )

  const lookUp = (request: TaskRequest) =>
    checkPeople(request).pipe(
      Effect.zipRight(checkAttachments(request.userId, request.attachments)),
      Effect.zipRight(Effect.transposeMapOption(request.continueTaskId, contextOf))
    )

  const submit = Effect.fn("Tasks.submit")(function*(request: TaskRequest) {
    const found = yield* Effect.either(lookUp(request))
    if (Either.isLeft(found)) {
      // A request that was accepted before gets its answer again, even if what it refers to no longer exists.
      const { idempotency } = request
      const known = yield* Effect.transposeMapOption(
        idempotency,
        ({ caller, key }) => repo.findKey(ownerOf(caller), key)
      )
      return Option.isSome(idempotency) && Option.isSome(Option.flatten(known))
        ? yield* answerAgain(request, idempotency.value)
        : yield* found.left
    }
    const context = found.right
    const task: NewTask = {
      ...yield* identify(shards),
      creator: request.userId,
      assignee: Option.getOrNull(request.assignee),
      title: Option.getOrNull(request.title),
      description: request.message,
      context: contextText(context, request.source),
      project_id: Option.getOrNull(request.projectId),
      attachments: request.attachments,
      continued_from: Option.getOrNull(request.continueTaskId),
      token_budget: Option.getOrNull(request.maxTokensTotal),
      caller: Option.getOrNull(Option.map(request.idempotency, ({ caller }) => ownerOf(caller))),
      key: Option.getOrNull(Option.map(request.idempotency, ({ key }) => key)),
      digest: Option.getOrNull(Option.map(request.idempotency, ({ digest }) => digest)),
      ...sourceColumns(request.source)
    }
    yield* Effect.forEach([request.userId, ...Option.toArray(request.assignee)], users.ensureExists, {
      discard: true
    })
    if (yield* repo.insert(task)) return newTaskView(task)
    return Option.isNone(request.idempotency)
      ? yield* Effect.dieMessage("A task without a key was not inserted")
      : yield* answerAgain(request, request.idempotency.value)
  })

  return submit
})

const contextText = (continued: Option.Option<string>, source: TaskRequest["source"]): string | null => {
  const texts = [...Option.toArray(continued), ...Option.toArray(Option.flatMap(source, ({ context }) => context))]
  return texts.length === 0 ? null : storable(texts.join("\n\n"))
}

const sourceColumns = (source: TaskRequest["source"]) => {
  const reply = Option.getOrNull(Option.flatMap(source, (one) => one.reply))
  const webhook = Option.getOrNull(Option.flatMap(source, (one) => one.webhook))
  return {
    source: Option.getOrNull(Option.map(source, ({ kind }) => kind)),
    reply_channel: reply?.channel ?? null,
    reply_to: reply?.to ?? null,
    threads: Option.match(source, { onNone: () => [], onSome: ({ threads }) => threads }),
    webhook_type: webhook?.type ?? null,
    webhook_payload: webhook?.payload ?? null,
    webhook_headers: webhook?.headers ?? null,
    source_ip: webhook?.sourceIp ?? null,
    tool_access: Option.match(source, { onNone: () => "all" as const, onSome: ({ toolAccess }) => toolAccess })
  }
}

const identify = (shards: Shards["Type"]) =>
  Effect.map(DateTime.now, (now) => {
    const id = TaskId.make(v7({ msecs: now.epochMillis }))
    return { id, shard: shards.of(id), created_at: DateTime.formatIso(now) }
  })
