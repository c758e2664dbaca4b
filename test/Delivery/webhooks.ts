import { SubscriptionRequest } from "@troupe/api/SubscriptionsApi"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { Context, type Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { Outbox } from "../../src/Delivery/Outbox.ts"
import { Subscriptions } from "../../src/Delivery/Subscriptions.ts"
import * as WebhookChannel from "../../src/Delivery/WebhookChannel.ts"
import type { ConsumerOptions } from "../../src/Queue/QueueConsumer.ts"
import { Sealing } from "../../src/Runtime/Sealing.ts"
import { startStream } from "../support/Deliveries.ts"
import { alice, bob } from "../support/GivenTasks.ts"
import { as } from "../support/Seats.ts"
import { Wire } from "../support/TaskWorld.ts"
import { type Posted } from "../support/WebhookReceiver.ts"

const sealing = Sealing.layer(Option.some(Redacted.make("a key of the tests")))

export const services = (isHosted = false) =>
  Effect.map(
    Layer.build(
      Subscriptions.layer({ isHosted }).pipe(Layer.provide([Outbox.layer, sealing]))
    ),
    Context.get(Subscriptions)
  )

type Options = Partial<ConsumerOptions> & {
  readonly isHosted?: boolean
  readonly publicOnly?: boolean
  readonly timeout?: Duration.DurationInput
}

export const delivering = (
  { isHosted = false, maxAttempts = 28, publicOnly = false, timeout = "2 seconds", ...options }: Options = {}
) =>
  Effect.flatMap(
    Layer.build(sealing),
    (context) =>
      startStream(Effect.provide(WebhookChannel.make({ isHosted, maxAttempts, publicOnly, timeout }), context), {
        firstDelay: "2 millis",
        ...options
      })
  )

export const aliceHerself: Caller = { id: alice, role: "member" }

export const admin: Caller = { id: bob, role: "admin" }

export const decodeRequest = Schema.decodeUnknown(SubscriptionRequest)

/** A subscription of Alice. */
export const subscribed = (url: string, more: object = {}) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    yield* query("insert into users (id) values ('alice'), ('bob'), ('default') on conflict do nothing")
    const subscriptions = yield* services()
    const created = yield* as(selfHostedCaller)(
      Effect.flatMap(decodeRequest({ url, user_id: alice, ...more }), subscriptions.create)
    )
    return { ...created, subscriptions }
  })

const Event = Schema.Struct({
  type: Schema.String,
  timestamp: Schema.String,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

/** Fails unless the signature is right. */
export const verified = (secret: string, { body, headers }: Posted) =>
  Schema.decodeUnknownSync(Event)(
    new Webhook(secret).verify(body, {
      "webhook-id": String(headers["webhook-id"]),
      "webhook-timestamp": String(headers["webhook-timestamp"]),
      "webhook-signature": String(headers["webhook-signature"])
    })
  )
