import { type Caller, isSelfHosted } from "@troupe/domain/Caller"
import { TaskId, type UserId } from "@troupe/domain/Ids"
import { mergedShown } from "@troupe/domain/Shown"
import {
  IdempotencyConflict,
  type Task,
  type TaskNotFound,
  TaskRequestInvalid,
  type ToolAccess
} from "@troupe/domain/Task"
import { DateTime, Effect, Either, Option, Predicate } from "effect"
import { v7 } from "uuid"
import { smaller } from "../../Agent/Definition/SubagentAgent.ts"
import { Sandbox } from "../../File/Sandbox.ts"
import { Users } from "../../People/User/Users.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { storable, toStorableJson } from "../../Runtime/Database/StorableText.ts"
import { FirstClaims } from "../Claim/FirstClaims.ts"
import { TaskRepo } from "../Read/TaskRepo.ts"
import type { NewTask } from "../Row/NewTask.ts"
import { Shards } from "../Row/Shards.ts"
import { newTaskView } from "../Row/TaskView.ts"
import { makeAgentOfRequest } from "./AgentOfRequest.ts"
import { makeContinuation } from "./Continuations.ts"
import type { IdempotencyKey, TaskRequest } from "./Tasks.ts"

export const ownerOf = (caller: Caller) => isSelfHosted(caller) ? "self-hosted" : caller.id

/**
 * What a task that continues another takes over from it: of each option of a request, this type asks whether it does. It keeps its
 * agent, unless the request names another one.
 */
export const continuing = (
  { assignee, id, max_cost, max_iterations, project_id, token_budget }: Pick<
    Task,
    "assignee" | "id" | "max_cost" | "max_iterations" | "project_id" | "token_budget"
  >
): Required<
  Omit<
    TaskRequest,
    | "agent"
    | "attachments"
    | "conversation"
    | "idempotency"
    | "live"
    | "message"
    | "refused"
    | "source"
    | "title"
    | "user_id"
  >
> => ({
  assignee,
  project_id,
  continue_task_id: id,
  max_tokens_total: token_budget,
  max_iterations,
  max_cost
})

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
  const continuationOf = makeContinuation(repo)
  const shards = yield* Shards
  const sandbox = yield* Sandbox
  const users = yield* Users
  const firstClaims = yield* FirstClaims
  const agentOf = yield* makeAgentOfRequest

  const checkAttachments = (userId: UserId, names: ReadonlyArray<string>) =>
    names.length === 0 ? Effect.void : Effect.forEach(names, (name, index) =>
      sandbox.stat(userId, name).pipe(
        Effect.mapError(({ reason }) => new TaskRequestInvalid({ path: `attachments.${index}`, reason }))
      ), { discard: true })

  /** Repeats the first answer: with the requested assignee, not one who took the task over later. */
  const answerAgain = ({ assignee }: TaskRequest, idempotency: IdempotencyKey) =>
    Effect.map(
      acceptedBefore(repo, idempotency, repo.findRow),
      (row) => newTaskView({ ...row, assignee: assignee ?? null })
    )

  /**
   * What a guest of the chat platform writes has the tools of an unknown sender; the operator's own requests have all, as
   * have those of members.
   */
  const toolAccessOf = ({ source, user_id }: TaskRequest): Effect.Effect<ToolAccess> => {
    const access = source?.toolAccess ?? "all"
    return source === undefined || access !== "all"
      ? Effect.succeed(access)
      : Effect.map(asService(users.isGuest(user_id)), (isGuest) => isGuest ? "own" : "all")
  }

  const lookUp = Effect.fnUntraced(function*(request: TaskRequest) {
    const { assignee, attachments, continue_task_id, refused, source, user_id } = request
    if (refused !== undefined) return yield* refused
    yield* checkAttachments(user_id, attachments ?? [])
    const continuation = Predicate.isNotNullable(continue_task_id)
      ? yield* continuationOf(continue_task_id, {
        creator: user_id,
        assignee: assignee ?? null,
        toolAccess: source?.toolAccess ?? "all"
      })
      : { context: null, chain: null, agent: null, shown: {} }
    return { ...continuation, agent: yield* agentOf(request, continuation.agent) }
  })

  const submit = Effect.fn("Tasks.submit")(function*(request: TaskRequest) {
    const { assignee = null, idempotency, source, user_id } = request
    const found = yield* Effect.either(lookUp(request))
    if (Either.isLeft(found)) {
      // A repeated request gets its first answer, even if a task or file that it names no longer exists.
      return idempotency !== undefined
          && Option.isSome(yield* repo.findKey(ownerOf(idempotency.caller), idempotency.key))
        ? yield* answerAgain(request, idempotency)
        : yield* found.left
    }
    const { agent, chain, context: earlier, shown: shownEarlier } = found.right
    const shown = mergedShown([shownEarlier, source?.shown])
    const conversation = request.conversation ?? null
    const context = [conversation === null ? earlier : null, source?.context].filter(Boolean).join("\n\n")
    const { created_at, id, shard } = yield* identify(shards)
    const tool_access = yield* toolAccessOf(request)
    // Each column by its name: an object that is put together from others takes several times the memory.
    const task: NewTask = {
      id,
      shard,
      created_at,
      creator: user_id,
      assignee,
      title: request.title ?? null,
      description: request.message,
      context: context === "" ? null : storable(context),
      conversation: conversation === null ? null : toStorableJson(conversation),
      project_id: request.project_id ?? null,
      attachments: request.attachments ?? [],
      continued_from: request.continue_task_id ?? null,
      chain,
      shown: Object.keys(shown).length === 0 ? null : JSON.stringify(shown),
      token_budget: smaller(request.max_tokens_total ?? null, agent.limits.max_tokens_total),
      max_iterations: smaller(request.max_iterations ?? null, agent.limits.max_iterations),
      max_cost: smaller(request.max_cost ?? null, agent.limits.max_cost),
      agent: agent.columns.agent,
      agent_revision: agent.columns.agent_revision,
      agent_text: agent.columns.agent_text,
      caller: idempotency === undefined ? null : ownerOf(idempotency.caller),
      key: idempotency?.key ?? null,
      digest: idempotency?.digest ?? null,
      source: source?.kind ?? null,
      reply_channel: source?.reply?.channel ?? null,
      reply_to: source?.reply?.to ?? null,
      threads: source?.threads ?? [],
      webhook_type: source?.webhook?.type ?? null,
      webhook_payload: source?.webhook?.payload ?? null,
      webhook_headers: source?.webhook?.headers ?? null,
      source_ip: source?.webhook?.sourceIp ?? null,
      tool_access,
      replies_left: source?.isAnsweredOnce === true ? 1 : null,
      schedule_id: source?.scheduleId ?? null,
      live: request.live === true
    }
    yield* users.ensureExists(user_id)
    if (assignee !== null) yield* users.ensureExists(assignee)
    if (yield* firstClaims.insert(task, repo.insert)) return newTaskView(task)
    return idempotency === undefined
      ? yield* Effect.dieMessage("A task without a key was not inserted")
      : yield* answerAgain(request, idempotency)
  })

  return submit
})

const identify = (shards: Shards["Type"]) =>
  Effect.map(DateTime.now, (now) => {
    const id = TaskId.make(v7({ msecs: now.epochMillis }))
    return { id, shard: shards.of(id), created_at: DateTime.formatIso(now) }
  })
