import type { SqlClient } from "@effect/sql/SqlClient"
import { CurrentUser } from "@troupe/api/Authentication"
import type { SubscriptionRequest } from "@troupe/api/SubscriptionsApi"
import { isAdmin, type NotAllowed } from "@troupe/domain/Caller"
import type { OutboxId } from "@troupe/domain/Outbox"
import { isOutboxId } from "@troupe/domain/Outbox"
import {
  type CreatedSubscription,
  DeliveryNotFound,
  type Subscription,
  type SubscriptionDelivery,
  SubscriptionEvent,
  SubscriptionId,
  SubscriptionInactive,
  SubscriptionInvalid,
  SubscriptionNotFound,
  testEvent,
  TooManySubscriptions
} from "@troupe/domain/Subscription"
import type { PersonUnknown, UserNotFound } from "@troupe/domain/User"
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import { v7 } from "uuid"
import { actingFor, requireAdmin } from "../People/User/Access.ts"
import { Users } from "../People/User/Users.ts"
import type { PageRequest } from "../Runtime/Database/Page.ts"
import { isPublicHost, notPublic } from "../Runtime/NetworkAddress.ts"
import { Sealing } from "../Runtime/Sealing.ts"
import { newOutboxId, Outbox } from "./Outbox.ts"
import { makeSubscriptionRepo, whyNotServed } from "./SubscriptionRepo.ts"
import { eventPayload, makeSecret, secretPlace } from "./WebhookEvents.ts"

const isSubscriptionId = Schema.is(SubscriptionId)
/** Outgoing webhooks: who gets the events of tasks. An id of another form names nothing. */
export class Subscriptions extends Context.Tag("troupe/Delivery/Subscriptions")<Subscriptions, {
  readonly list: (
    user: Option.Option<string>,
    page: PageRequest<SubscriptionId>
  ) => Effect.Effect<ReadonlyArray<Subscription>, NotAllowed | PersonUnknown, CurrentUser>
  readonly create: (
    request: SubscriptionRequest
  ) => Effect.Effect<
    CreatedSubscription,
    NotAllowed | PersonUnknown | SubscriptionInvalid | TooManySubscriptions | UserNotFound,
    CurrentUser
  >
  readonly get: (id: string) => Effect.Effect<Subscription, SubscriptionNotFound>
  readonly remove: (id: string) => Effect.Effect<void, SubscriptionNotFound>
  readonly resume: (id: string) => Effect.Effect<Subscription, SubscriptionNotFound>
  readonly test: (id: string) => Effect.Effect<SubscriptionDelivery, SubscriptionInactive | SubscriptionNotFound>
  readonly deliveries: (
    id: string,
    page: PageRequest<OutboxId>
  ) => Effect.Effect<ReadonlyArray<SubscriptionDelivery>, SubscriptionNotFound>
  readonly replay: (
    id: string,
    delivery: string
  ) => Effect.Effect<SubscriptionDelivery, DeliveryNotFound | SubscriptionInactive | SubscriptionNotFound>
}>() {
  static readonly layer = (options: {
    /** In hosted mode events go to members of the team, and to public addresses only. */
    readonly isHosted: boolean
  }): Layer.Layer<Subscriptions, never, Outbox | Sealing | SqlClient | Users> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const outbox = yield* Outbox
        const repo = yield* makeSubscriptionRepo
        const sealing = yield* Sealing
        const users = yield* Users

        const get = (id: string) =>
          isSubscriptionId(id)
            ? Effect.flatMap(
              repo.find(id),
              Option.match({ onNone: () => new SubscriptionNotFound({ id }), onSome: Effect.succeed })
            )
            : new SubscriptionNotFound({ id })

        const active = (id: string) =>
          Effect.filterOrFail(
            get(id),
            ({ disabled_reason }) => disabled_reason === null,
            ({ disabled_reason }) => new SubscriptionInactive({ id, reason: disabled_reason ?? "" })
          )

        const delivery = (subscription: SubscriptionId, id: OutboxId) =>
          repo.delivery(subscription, id).pipe(
            Effect.flatten,
            Effect.mapError(() => new DeliveryNotFound({ subscription_id: subscription, id }))
          )

        const create = Effect.fn("Subscriptions.create")(function*(request: SubscriptionRequest) {
          const userId = yield* actingFor(users, request.user_id)
          if (request.tasks === "all") yield* requireAdmin("subscribe to the events of all tasks")
          if (options.isHosted && !isPublicHost(new URL(request.url).hostname)) {
            return yield* new SubscriptionInvalid({ field: "url", reason: notPublic })
          }
          yield* users.check(userId)
          const reason = options.isHosted ? whyNotServed(yield* repo.ownerRole(userId), request.tasks) : null
          if (reason !== null) return yield* new SubscriptionInvalid({ field: "user_id", reason })
          const id = SubscriptionId.make(v7({ msecs: yield* Clock.currentTimeMillis }))
          const secret = request.secret ?? makeSecret()
          const isNew = yield* repo.insert({
            id,
            userId,
            url: request.url,
            events: request.events ?? SubscriptionEvent.literals,
            tasks: request.tasks,
            secret: sealing.seal(Redacted.make(secret), secretPlace(id))
          })
          if (!isNew) return yield* new TooManySubscriptions({ user_id: userId })
          return { ...(yield* Effect.orDie(get(id))), secret }
        })

        const test = Effect.fn("Subscriptions.test")(function*(given: string) {
          const { id: recipient, user_id: userId } = yield* active(given)
          const id = yield* newOutboxId
          const at = DateTime.formatIso(yield* DateTime.now)
          const entry = { id, channel: "webhook", recipient, kind: testEvent, user_id: userId, task_id: null } as const
          yield* outbox.enqueue([{ ...entry, payload: eventPayload({ at, seq: null, facts: null }) }])
          return yield* Effect.orDie(delivery(recipient, id))
        })

        return Subscriptions.of({
          list: (given, page) =>
            Effect.flatMap(CurrentUser, (caller) =>
              // A member sees the own subscriptions only.
              Option.isNone(given) && isAdmin(caller)
                ? repo.list(Option.none(), page)
                : Effect.flatMap(
                  actingFor(users, Option.getOrNull(given)),
                  (id) => repo.list(Option.some(id), page)
                )),
          create,
          get,
          remove: (id) =>
            Effect.flatMap(get(id), (found) =>
              Effect.filterOrFail(repo.remove(found.id), (removed) =>
                removed, () => new SubscriptionNotFound({ id })))
              .pipe(Effect.asVoid),
          resume: (id) =>
            Effect.flatMap(get(id), (found) => Effect.zipRight(repo.resume(found.id), get(id))),
          test,
          deliveries: (id, page) => Effect.flatMap(get(id), (found) => repo.deliveries(found.id, page)),
          replay: (given, id) =>
            Effect.flatMap(active(given), (found) =>
              isOutboxId(id)
                ? delivery(found.id, id).pipe(
                  Effect.zipRight(repo.replay(found.id, id)),
                  Effect.zipRight(delivery(found.id, id))
                )
                : new DeliveryNotFound({ subscription_id: given, id }))
        })
      })
    )
}
