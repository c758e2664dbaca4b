import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { deliveryChannels } from "@troupe/domain/DeliveryWay"
import { type OutboxMessage, OutboxState } from "@troupe/domain/Outbox"
import { Effect, Option } from "effect"
import { connection, limitOption, optional } from "./Arguments.ts"
import { list, minuteOf, safeLine } from "./Format.ts"
import { messageIdOf } from "./Ids.ts"
import { writeDone, writeList } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

export const outboxTable = list<OutboxMessage>(
  ["ID", ({ id }) => id, "dim"],
  ["TIME", ({ created_at }) => minuteOf(created_at), "dim"],
  ["CHANNEL", ({ channel }) => channel],
  ["KIND", ({ kind }) => safeLine(kind, 40)],
  ["STATE", ({ state }) => state, ({ state }) => state === "failed" ? "red" : null],
  ["TO", ({ recipient }) => safeLine(recipient, 80)],
  ["ERROR", ({ last_error }) => safeLine(last_error ?? "", 120)]
)

const retry = Command.make(
  "retry",
  {
    ...connection,
    id: Args.text({ name: "message" }).pipe(Args.withDescription("Id of a failed message, or the beginning of it"))
  },
  ({ id, json }) =>
    Effect.gen(function*() {
      const outbox_id = segment(yield* messageIdOf(id))
      const message = yield* call((client) => client.outbox.retry({ path: { outbox_id } }))
      yield* writeDone(message, { json, note: "It is sent again." })
    })
).pipe(forService("Sends a failed message again; one that may have arrived may arrive twice"))

export const outbox = Command.make(
  "outbox",
  {
    ...connection,
    state: optional(Options.choice("state", OutboxState.literals), "Only messages in this state"),
    channel: optional(Options.choice("channel", deliveryChannels), "Only messages of this channel"),
    limit: limitOption
  },
  ({ channel, json, limit, state }) =>
    call((client) =>
      client.outbox.list({
        urlParams: { limit, state: Option.getOrUndefined(state), channel: Option.getOrUndefined(channel) }
      })
    ).pipe(Effect.flatMap((found) => writeList(found, { json, table: outboxTable, none: "No messages." })))
).pipe(
  forService("Lists the outgoing mails, chat messages and webhooks of the last 30 days, newest first"),
  Command.withSubcommands([retry])
)
