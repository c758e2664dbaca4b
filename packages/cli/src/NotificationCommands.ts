import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { Notification } from "@troupe/domain/Notification"
import { Effect } from "effect"
import { connection, limitOption, userOption } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { list, minuteOf, safeLine } from "./Format.ts"
import { notificationIdOf } from "./Ids.ts"
import { writeDone, writeList } from "./Screen.ts"
import { call, forService, ownerOf, segment } from "./Service.ts"

export const notificationTable = list<Notification>(
  ["ID", ({ id }) => id, "dim"],
  ["TIME", ({ created_at }) => minuteOf(created_at), "dim"],
  ["KIND", ({ kind }) => kind, "dim"],
  ["TASK", ({ task_id }) => task_id ?? "-", "dim"],
  ["TEXT", ({ body, title }) => safeLine(`${title}: ${body}`, 200), ({ read }) => read ? "dim" : null]
)

const id = Args.text({ name: "notification" }).pipe(
  Args.withDescription("Ids of the notifications, or the beginnings of them")
)

const allUnread = Options.boolean("all").pipe(Options.withDescription("All unread notifications"))

const read = Command.make(
  "read",
  { ...connection, user: userOption, all: allUnread, ids: Args.repeated(id) },
  ({ all, ids, json, user }) =>
    Effect.gen(function*() {
      if (all === ids.length > 0) {
        return yield* wrongUsage("Name the notifications, or all with --all.")
      }
      const user_id = segment(yield* ownerOf(user))
      const named = all
        ? Effect.map(
          call(({ notifications }) =>
            notifications.list({ path: { user_id }, urlParams: { unread: true, limit: 1000 } })
          ),
          (found) => found.map(({ id }) => id)
        )
        : Effect.forEach(ids, notificationIdOf(user_id))
      const marked = yield* Effect.forEach(yield* named, (id) =>
        call(({ notifications }) => notifications.markRead({ path: { user_id, notification_id: segment(id) } })))
      yield* writeDone(marked, { json, note: "Marked as read." })
    })
).pipe(forService("Marks notifications as read"))

const remove = Command.make(
  "delete",
  { ...connection, user: userOption, ids: Args.atLeast(id, 1) },
  ({ ids, json, user }) =>
    Effect.gen(function*() {
      const user_id = segment(yield* ownerOf(user))
      const deleted = yield* Effect.forEach(ids, notificationIdOf(user_id))
      yield* Effect.forEach(deleted, (id) =>
        call(({ notifications }) => notifications.remove({ path: { user_id, notification_id: segment(id) } })), {
        discard: true
      })
      yield* writeDone({ deleted }, { json, note: "Deleted." })
    })
).pipe(forService("Deletes notifications from the feed"))

export const notifications = Command.make(
  "notifications",
  {
    ...connection,
    user: userOption,
    unread: Options.boolean("unread").pipe(Options.withDescription("Only unread ones")),
    limit: limitOption
  },
  ({ json, limit, unread, user }) =>
    Effect.gen(function*() {
      const user_id = segment(yield* ownerOf(user))
      const found = yield* call((client) =>
        client.notifications.list({ path: { user_id }, urlParams: { limit, ...(unread ? { unread } : {}) } })
      )
      yield* writeList(found, { json, table: notificationTable, none: "No notifications." })
    })
).pipe(
  forService("Lists questions, results and failures of your tasks, newest first"),
  Command.withSubcommands([read, remove])
)
