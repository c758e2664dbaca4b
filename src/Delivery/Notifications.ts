import type { UserId } from "@troupe/domain/Ids"
import { type Notification, type NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import type { UserNotFound } from "@troupe/domain/User"
import { Context, Effect, Layer, Option } from "effect"
import { Users } from "../People/Users.ts"
import { type NotificationFilter, NotificationRepo } from "./NotificationRepo.ts"

/**
 * The feed of each user (service.md, "Notification delivery"): what a step of a task gives notice of
 * (`noticesOf`) stands here once, because its row is written by the statement that journals the step (`Journal`,
 * `TaskCommands.cancel`). These rows are also the port for every other way to reach a user: whoever delivers by chat
 * or e-mail takes them up in the order of their ids and keeps what became of each, so that no task waits for it.
 */
export class Notifications extends Context.Tag("troupe/Delivery/Notifications")<Notifications, {
  /** Newest first. */
  readonly list: (
    userId: UserId,
    filter: NotificationFilter
  ) => Effect.Effect<ReadonlyArray<Notification>, UserNotFound>
  /** Marked twice, it keeps the time of the first. */
  readonly markRead: (userId: UserId, id: NotificationId) => Effect.Effect<Notification, NotificationNotFound>
  readonly remove: (userId: UserId, id: NotificationId) => Effect.Effect<void, NotificationNotFound>
}>() {
  static readonly layer: Layer.Layer<Notifications, never, NotificationRepo | Users> = Layer.effect(
    this,
    Effect.gen(function*() {
      const repo = yield* NotificationRepo
      const users = yield* Users
      return Notifications.of({
        list: (userId, filter) =>
          // Feeds are polled: who has a notification need not be looked up.
          Effect.tap(repo.list(userId, filter), ({ length }) => length === 0 ? users.check(userId) : Effect.void),
        markRead: (userId, id) =>
          Effect.flatMap(
            repo.markRead(userId, id),
            Option.match({
              onNone: () => Effect.fail(new NotificationNotFound({ user_id: userId, id })),
              onSome: Effect.succeed
            })
          ),
        remove: (userId, id) =>
          Effect.filterOrFail(
            repo.remove(userId, id),
            (removed) => removed,
            () => new NotificationNotFound({ user_id: userId, id })
          ).pipe(Effect.asVoid)
      })
    })
  )
}
