import { TaskId } from "@troupe/domain/Ids"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { type Task, TaskNotFound } from "@troupe/domain/Task"
import { Effect, Option, Schema } from "effect"
import type { Tasks } from "../../Task/Tasks.ts"
import type { ChatSender } from "./ChatSenders.ts"

export const latestTasks = (
  tasks: Tasks["Type"],
  { userId }: ChatSender,
  limit: number
): Effect.Effect<ReadonlyArray<Task>, SearchUnfinished> =>
  tasks.list({
    status: Option.none(),
    creator: Option.some(userId),
    assignee: Option.none(),
    webhookType: Option.none(),
    taskType: Option.none(),
    parentTaskId: Option.none(),
    q: Option.none(),
    includeArchived: false,
    limit,
    cursor: Option.none()
  }).pipe(Effect.map(({ items }) => items))

/** A task by its whole id, or by the end of it among the sender's latest tasks. */
export const findTask = (
  tasks: Tasks["Type"],
  id: string,
  sender: ChatSender
): Effect.Effect<Task, SearchUnfinished | TaskNotFound> =>
  isTaskId(id)
    ? tasks.find(id)
    : Effect.flatMap(latestTasks(tasks, sender, 100), (all) => {
      const found = all.filter((task) => task.id.endsWith(id.toLowerCase()))
      return found[0] === undefined || found.length > 1 ? new TaskNotFound({ id }) : tasks.find(found[0].id)
    })

const isTaskId = Schema.is(TaskId)
