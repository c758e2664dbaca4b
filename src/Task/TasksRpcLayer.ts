import { TasksRpc } from "@troupe/api/TroupeRpcs"
import { Effect, Option, Stream } from "effect"
import { answering } from "../People/Access.ts"
import { nextCursor } from "../Runtime/Page.ts"
import { chatTask, taskIdOf, Tasks } from "./Tasks.ts"

export const TasksRpcLayer = TasksRpc.toLayer(
  Effect.map(Tasks, (tasks) =>
    TasksRpc.of({
      submit: ({ idempotency_key, ...payload }) => Effect.flatMap(chatTask(payload, idempotency_key), tasks.submit),
      get: ({ task_id }) => Effect.flatMap(taskIdOf(task_id), tasks.find),
      list: (query) =>
        Effect.map(tasks.list(query), (page) => ({ items: page.items, next: nextCursor(page) })),
      watch: ({ after, task_id }) =>
        Stream.unwrap(Effect.flatMap(taskIdOf(task_id), (id) => tasks.events(id, Option.fromNullable(after)))),
      answer: ({ response, task_id, user_id }) =>
        Effect.flatMap(Effect.zip(taskIdOf(task_id), answering(user_id)), ([id, userId]) =>
          tasks.answer(id, response, userId)),
      message: ({ message, task_id, user_id }) =>
        Effect.flatMap(
          Effect.zip(taskIdOf(task_id), answering(user_id)),
          ([id, userId]) =>
            tasks.message(id, message, userId)
        ),
      cancel: ({ reason, task_id }) =>
        Effect.flatMap(taskIdOf(task_id), (id) => tasks.cancel(id, Option.fromNullable(reason))),
      retry: ({ task_id }) => Effect.flatMap(taskIdOf(task_id), tasks.retry)
    }))
)
