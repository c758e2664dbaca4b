import type { UserId } from "@troupe/domain/Ids"
import { type Notification, type NotificationId, NotificationNotFound } from "@troupe/domain/Notification"
import type { UserNotFound } from "@troupe/domain/User"
import { Context, Effect, Layer, Option } from "effect"
import { Users } from "../People/Users.ts"
import { type NotificationFilter, NotificationRepo } from "./NotificationRepo.ts"

/** The notifications of each user. A row is written by the statement that journals its step, so each appears once. */
export class Notifications extends Context.Tag("troupe/Delivery/Notifications")<Notifications, {
  readonly list: (
    userId: UserId,
    filter: NotificationFilter
  ) => Effect.Effect<ReadonlyArray<Notification>, UserNotFound>
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
          // The list is polled, so the user is looked up only when it is empty.
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
