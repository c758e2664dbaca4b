import { CurrentUser } from "@troupe/api/Authentication"
import type { ChatRequest } from "@troupe/api/TasksApi"
import type { NotAllowed } from "@troupe/domain/Caller"
import { TaskId } from "@troupe/domain/Ids"
import { TaskNotFound } from "@troupe/domain/Task"
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { actingFor } from "../People/Access.ts"
import type { TaskRequest } from "./Tasks.ts"

const knownForm = Schema.is(TaskId)

export const taskIdOf = (id: string): Effect.Effect<TaskId, TaskNotFound> =>
  knownForm(id) ? Effect.succeed(id) : Effect.fail(new TaskNotFound({ id }))

/** Decoding fixes the order of the fields and drops unknown ones, so equal requests have equal digests. */
export const digestOf = (request: object) => createHash("sha256").update(JSON.stringify(request)).digest("hex")

export const chatTask = (
  payload: ChatRequest,
  key: string | undefined
): Effect.Effect<TaskRequest, NotAllowed, CurrentUser> =>
  Effect.zipWith(CurrentUser, actingFor(payload.user_id), (caller, userId) => ({
    message: payload.message,
    userId,
    assignee: Option.fromNullable(payload.assignee),
    title: Option.fromNullable(payload.title),
    projectId: Option.fromNullable(payload.project_id),
    attachments: payload.attachments ?? [],
    continueTaskId: Option.fromNullable(payload.continue_task_id),
    maxTokensTotal: Option.fromNullable(payload.max_tokens_total),
    idempotency: Option.map(Option.fromNullable(key), (key) => ({ caller, key, digest: digestOf(payload) })),
    source: Option.none()
  }))
