import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { deliveryChannels } from "@troupe/domain/DeliveryWay"
import { type OutboxMessage, OutboxState } from "@troupe/domain/Outbox"
import { Effect, Option } from "effect"
import { connection, limitOption, optional } from "./Arguments.ts"
import { list, minuteOf, safeLine, type TextStyle } from "./Format.ts"
import { messageIdOf } from "./Ids.ts"
import { writeDone, writeList } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

/** Outgoing messages, a line each. */
export const outboxTable = (messages: ReadonlyArray<OutboxMessage>, paint: TextStyle): string =>
  list(
    ["ID", "TIME", "CHANNEL", "KIND", "STATE", "TO", "ERROR"],
    messages.map(({ channel, created_at, id, kind, last_error, recipient, state }) => [
      id,
      minuteOf(created_at),
      channel,
      safeLine(kind, 40),
      state,
      safeLine(recipient, 80),
      safeLine(last_error ?? "", 120)
    ]),
    paint,
    (cell, column) => column === 4 && cell === "failed" ? paint.red(cell) : column < 2 ? paint.dim(cell) : cell
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

/** `troupe outbox`. */
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
