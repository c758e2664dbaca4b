import { TasksRpc } from "@troupe/api/TroupeRpcs"
import { Effect, Option, Stream } from "effect"
import { answering } from "../People/Access.ts"
import { nextCursor } from "../Runtime/Database/Page.ts"
import { chatTask, onTask, Tasks } from "./Tasks.ts"

export const TasksRpcLayer = TasksRpc.toLayer(
  Effect.map(Tasks, (tasks) =>
    TasksRpc.of({
      submit: ({ idempotency_key, ...payload }) => Effect.flatMap(chatTask(payload, idempotency_key), tasks.submit),
      get: (request) => onTask(request, tasks.find),
      list: (query) => Effect.map(tasks.list(query), (page) => ({ items: page.items, next: nextCursor(page) })),
      watch: ({ after, ...request }) =>
        Stream.unwrap(onTask(request, (id) => tasks.events(id, Option.fromNullable(after)))),
      answer: ({ response, tool_call_id: call, user_id, ...request }) =>
        onTask(
          request,
          (id) => Effect.flatMap(answering(user_id), (userId) => tasks.answer(id, response, userId, { call }))
        ),
      message: ({ message, user_id, ...request }) =>
        onTask(request, (id) => Effect.flatMap(answering(user_id), (userId) => tasks.message(id, message, userId))),
      cancel: ({ reason, ...request }) => onTask(request, (id) => tasks.cancel(id, Option.fromNullable(reason))),
      retry: (request) => onTask(request, tasks.retry)
    }))
)
