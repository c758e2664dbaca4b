import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { SubscriptionRequest } from "@troupe/api/SubscriptionsApi"
import { SigningSecret, type Subscription, SubscriptionEvent } from "@troupe/domain/Subscription"
import { Array as Arr, Effect, Option, Redacted, Schema } from "effect"
import { connection, optional, userOption } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { list, safeLine } from "./Format.ts"
import { subscriptionIdOf } from "./Ids.ts"
import { Screen, writeDone, writeList } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

const lastOf = ({ active, disabled_reason, last_delivery: last, oldest_pending_at }: Subscription): string => {
  if (!active) return `disabled: ${safeLine(disabled_reason ?? "", 100)}`
  if (last === null) return "no event yet"
  const waiting = oldest_pending_at === null ? "" : `; the oldest that waits is from ${oldest_pending_at}`
  return last.last_error === null || last.state === "sent"
    ? `${last.event} ${last.state}${waiting}`
    : `${last.event} ${last.state}: ${safeLine(last.last_error, 100)}${waiting}`
}

export const subscriptionTable = list<Subscription>(
  ["ID", ({ id }) => id],
  ["TASKS", ({ tasks }) => tasks],
  ["ADDRESS", ({ url }) => safeLine(url, 200)],
  ["EVENTS", ({ events }) => events.length === SubscriptionEvent.literals.length ? "all events" : events.join(" ")],
  ["LAST EVENT", lastOf, ({ active }) => active ? null : "yellow"]
)

const isSecret = Schema.is(SigningSecret)

const add = Command.make(
  "add",
  {
    ...connection,
    user: userOption,
    events: Options.choice("event", SubscriptionEvent.literals).pipe(
      Options.repeated,
      Options.withDescription("Which events to post; may be repeated; default: all")
    ),
    all: Options.boolean("all").pipe(Options.withDescription("Events of every task; for admins")),
    secret: optional(
      Options.redacted("secret"),
      "Signs the requests: whsec_ and 24 to 64 bytes in base64; default: a new one"
    ),
    address: Args.text({ name: "address" }).pipe(
      Args.withSchema(SubscriptionRequest.fields.url),
      Args.withDescription("Where to post the events: http or https")
    )
  },
  ({ address, all, events, json, secret, user }) =>
    Effect.gen(function*() {
      const screen = yield* Screen
      if (!Option.match(secret, { onNone: () => true, onSome: (given) => isSecret(Redacted.value(given)) })) {
        return yield* wrongUsage("--secret must be whsec_ and 24 to 64 bytes in base64.")
      }
      const made = yield* call(({ subscriptions }) =>
        subscriptions.create({
          payload: {
            url: address,
            tasks: all ? "all" : "own",
            secret: Option.getOrNull(Option.map(secret, Redacted.value)),
            ...(Arr.isNonEmptyReadonlyArray(events) ? { events } : {}),
            ...Option.match(user, { onNone: () => ({}), onSome: (user_id) => ({ user_id }) })
          }
        })
      )
      if (json) return yield* screen.json(made)
      yield* screen.write(`${made.id}\n`)
      yield* screen.note(`Its secret, which is not shown again: ${safeLine(made.secret, 200)}\n`)
    })
).pipe(forService("Posts the events of tasks to an address"))

const id = Args.text({ name: "subscription" }).pipe(
  Args.withDescription("Id of the subscription, or the beginning of it")
)

const remove = Command.make(
  "delete",
  { ...connection, id },
  ({ id: given, json }) =>
    Effect.gen(function*() {
      const id = yield* subscriptionIdOf(given)
      yield* call(({ subscriptions }) => subscriptions.remove({ path: { subscription_id: segment(id) } }))
      yield* writeDone({ deleted: [id] }, { json, note: "Deleted, with the events that were not posted yet." })
    })
).pipe(forService("Deletes a subscription with its deliveries"))

export const subscriptions = Command.make(
  "subscriptions",
  { ...connection, user: userOption },
  ({ json, user }) =>
    call((client) => client.subscriptions.list({ urlParams: { limit: 1000, user_id: Option.getOrUndefined(user) } }))
      .pipe(Effect.flatMap((found) => writeList(found, { json, table: subscriptionTable, none: "No subscriptions." })))
).pipe(
  forService("Lists the outgoing webhooks, newest first; adds and deletes them"),
  Command.withSubcommands([add, remove])
)
