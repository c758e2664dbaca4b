import { HttpClient, type HttpClientResponse } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { Channel } from "@troupe/domain/Channel"
import { UserId } from "@troupe/domain/Ids"
import { MemoryRecord } from "@troupe/domain/Memory"
import { Notification } from "@troupe/domain/Notification"
import { OutboxMessage } from "@troupe/domain/Outbox"
import { Schedule } from "@troupe/domain/Schedule"
import { Subscription, SubscriptionDelivery } from "@troupe/domain/Subscription"
import { positionOf, User, type UserPosition } from "@troupe/domain/User"
import { UserFile } from "@troupe/domain/UserFile"
import { WebhookDelivery } from "@troupe/domain/Webhook"
import { Arbitrary, Effect, FastCheck, Layer, Option, Schema } from "effect"
import { v7 } from "uuid"
import { Notifications } from "../../src/Delivery/Notifications.ts"
import { OutboxOperations } from "../../src/Delivery/OutboxOperations.ts"
import { Subscriptions } from "../../src/Delivery/Subscriptions.ts"
import { Files } from "../../src/File/Files.ts"
import { Schedules } from "../../src/Intake/Schedules.ts"
import { Webhooks } from "../../src/Intake/Webhook/Webhooks.ts"
import { MemoryRecords } from "../../src/Memory/MemoryRecords.ts"
import { Channels } from "../../src/People/Channel/Channels.ts"
import { Users } from "../../src/People/Users.ts"
import { makeFakes } from "./Fakes.ts"
import { inProcess } from "./TestServer.ts"

const megabyte = 1_000_000
const sizes = [5 * megabyte, ...Array.from({ length: 8 }, () => megabyte), ...Array.from({ length: 250 }, () => 1)]

/** Entries that differ in their key and in the length of one text. */
const entries = <A, I>(schema: Schema.Schema<A, I>, fields: (key: string, text: string) => Partial<A>) => {
  const [sample] = FastCheck.sample(Arbitrary.make(Schema.typeSchema(schema)), { numRuns: 1, seed: 1 })
  assert(sample !== undefined)
  return sizes.map((size, index) => ({ ...sample, ...fields(v7({ msecs: index }), "x".repeat(size)) }))
}

/** Reads a piece of a listing as a database would. */
const reader =
  <A, Position>(all: ReadonlyArray<A>, same: (entry: A, position: Position) => boolean) =>
  ({ cursor, limit }: { readonly cursor: Option.Option<Position>; readonly limit: number }) =>
    Effect.sync(() => {
      const from = Option.match(cursor, {
        onNone: () => 0,
        onSome: (position) => all.findIndex((entry) => same(entry, position)) + 1
      })
      return all.slice(from, from + limit)
    })

const byId = <A extends { readonly id: string }>(all: ReadonlyArray<A>) =>
  reader(all, (entry, id: A["id"]) => entry.id === id)

const decoded = Schema.decodeSync

const notifications = entries(Notification, (id, body) => ({ id: decoded(Notification.fields.id)(id), body }))
const memories = entries(MemoryRecord, (id, content) => ({ id: decoded(MemoryRecord.fields.id)(id), content }))
const outbox = entries(OutboxMessage, (id, last_error) => ({ id: decoded(OutboxMessage.fields.id)(id), last_error }))
const schedules = entries(Schedule, (id, message) => ({ id: decoded(Schedule.fields.id)(id), message }))
const channels = entries(Channel, (id, topic) => ({ id: decoded(Channel.fields.id)(id), topic }))
const subscriptions = entries(Subscription, (id, url) => ({ id: decoded(Subscription.fields.id)(id), url }))
const deliveries = entries(
  SubscriptionDelivery,
  (id, last_error) => ({ id: decoded(SubscriptionDelivery.fields.id)(id), last_error })
)
const webhooks = entries(
  WebhookDelivery,
  (id, last_error) => ({ id: decoded(WebhookDelivery.fields.id)(id), last_error })
)
const users = entries(User, (id, responsibilities) => ({ id: UserId.make(id), name: null, responsibilities }))
const files = entries(UserFile, (path, filename) => ({ path, filename }))

const served = inProcess(
  makeFakes(),
  Layer.mergeAll(
    Layer.mock(Users, { list: reader(users, (user, { id }: UserPosition) => positionOf(user).id === id) }),
    Layer.mock(Notifications, { list: (_, filter) => byId(notifications)(filter) }),
    Layer.mock(MemoryRecords, { list: (_, filter) => byId(memories)(filter) }),
    Layer.mock(Files, {
      list: (_, { after, limit }) =>
        reader(files, ({ path }, last: string) => path === last)({
          cursor: Option.liftPredicate(after, (path) => path !== ""),
          limit
        })
    }),
    Layer.mock(Schedules, { list: byId(schedules) }),
    Layer.mock(Webhooks, { list: byId(webhooks) }),
    Layer.mock(Subscriptions, {
      list: (_, page) => byId(subscriptions)(page),
      deliveries: (_, page) => byId(deliveries)(page)
    }),
    Layer.mock(OutboxOperations, { list: byId(outbox) }),
    Layer.mock(Channels, { list: byId(channels) })
  )
)

const lists = {
  "/users/default/notifications": notifications,
  "/users/default/memories": memories,
  "/files/default": files,
  "/users": users,
  "/api/outbox": outbox,
  [`/api/subscriptions/${subscriptions[0]?.id}/deliveries`]: deliveries,
  "/api/subscriptions": subscriptions,
  "/api/schedules": schedules,
  "/api/channels/": channels,
  "/webhook/deliveries": webhooks
}

layer(served, { excludeTestServices: true })("A page of long entries", (it) => {
  it.effect.each(Object.keys(lists))(
    "of %s ends at some megabytes, and links to the next",
    (path) =>
      Effect.gen(function*() {
        const http = yield* HttpClient.HttpClient
        const pages: Array<number> = []
        const found: Array<unknown> = []
        for (let url: string | undefined = `${path}?limit=1000`; url !== undefined;) {
          const answer: HttpClientResponse.HttpClientResponse = yield* http.get(url)
          assert.strictEqual(answer.status, 200)
          const page = yield* answer.json
          assert(Array.isArray(page))
          pages.push(page.length)
          for (const entry of page) found.push(entry)
          url = /<(.*)>; rel="next"/.exec(answer.headers["link"] ?? "")?.[1]
        }
        assert.deepStrictEqual(pages, [1, 3, 3, 252])
        assert.strictEqual(JSON.stringify(found), JSON.stringify(lists[path]))
      })
  )

  it.effect("has no more entries than the request wants, however many pieces they come in", () =>
    Effect.gen(function*() {
      const http = yield* HttpClient.HttpClient
      const start = files[8]?.path ?? ""
      for (const limit of [1, 100, 101, 240, 250]) {
        const cursor = Buffer.from(start).toString("base64url")
        const answer = yield* http.get(`/files/default?limit=${limit}&cursor=${cursor}`)
        const page = yield* answer.json
        assert.strictEqual(JSON.stringify(page), JSON.stringify(files.slice(9, 9 + limit)))
        assert.strictEqual("link" in answer.headers, limit < 250)
      }
    }))
})
