import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { plural } from "@troupe/domain/Text"
import { type WebhookDelivery, type WebhookDeliveryContent, WebhookDeliveryState } from "@troupe/domain/Webhook"
import { Effect, Option } from "effect"
import { connection, limitOption, optional } from "./Arguments.ts"
import { list, minuteOf, safeJson, safeLine, safeText, size, type TextStyle } from "./Format.ts"
import { deliveryIdOf } from "./Ids.ts"
import { writeDone, writeList, writeResult } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

export const deliveryTable = list<WebhookDelivery>(
  ["ID", ({ id }) => id, "dim"],
  ["TIME", ({ received_at }) => minuteOf(received_at), "dim"],
  ["TYPE", ({ webhook_type }) => safeLine(webhook_type, 40)],
  ["STATE", ({ state }) => state, ({ state }) => state === "failed" ? "red" : null],
  ["SIZE", (delivery) => delivery.size === null ? "-" : size(delivery.size)],
  ["TASK", ({ task_id }) => task_id ?? "-"],
  ["ERROR", ({ error }) => safeLine(error ?? "", 120)]
)

/** A delivery as it came; the service has redacted the secrets. */
export const deliveryText = (delivery: WebhookDeliveryContent, paint: TextStyle): string => {
  const { attempts, error, headers, payload, received_at, source_ip, state, task_id, url, webhook_type } = delivery
  const from = source_ip === null ? "" : ` from ${safeLine(source_ip)}`
  return [
    `${paint.bold(safeLine(webhook_type, 128))}  ${paint.dim(delivery.id)}\n`,
    `${state}, ${plural(attempts, "attempt")}; received at ${minuteOf(received_at)}${from}\n`,
    ...(task_id === null ? [] : [`Task: ${task_id}\n`]),
    ...(error === null ? [] : [`${paint.red(safeText(error))}\n`]),
    `\n${safeLine(url, 2000)}\n`,
    ...Object.entries(headers).map(([name, value]) => `${paint.dim(`${safeLine(name)}:`)} ${safeLine(value, 2000)}\n`),
    payload === null ? `\n${paint.dim("The body is not stored any more.")}\n` : `\n${safeJson(payload, 2)}\n`
  ].join("")
}

const id = Args.text({ name: "delivery" }).pipe(Args.withDescription("Id of a delivery, or the beginning of it"))

const show = Command.make("show", { ...connection, id }, ({ id, json }) =>
  Effect.gen(function*() {
    const delivery_id = segment(yield* deliveryIdOf(id))
    const found = yield* call(({ webhooks }) => webhooks.delivery({ path: { delivery_id } }))
    yield* writeResult(found, { json, text: deliveryText })
  })).pipe(forService("Shows a delivery with its headers, without secrets, and its payload"))

const replay = Command.make(
  "replay",
  { ...connection, id },
  ({ id, json }) =>
    Effect.gen(function*() {
      const delivery_id = segment(yield* deliveryIdOf(id))
      const replayed = yield* call(({ webhooks }) => webhooks.replay({ path: { delivery_id } }))
      yield* writeDone(replayed, { json, note: `It arrives again, as delivery ${replayed.message_id}.` })
    })
).pipe(forService("Makes a new task of the stored body of a webhook"))

export const deliveries = Command.make(
  "deliveries",
  {
    ...connection,
    type: optional(Options.text("type"), "Only webhooks of this type"),
    state: optional(Options.choice("state", WebhookDeliveryState.literals), "Only deliveries in this state"),
    source: optional(Options.text("source"), "webhook (the default), or chat: events of the team chat"),
    limit: limitOption
  },
  ({ json, limit, source, state, type }) =>
    call(({ webhooks }) =>
      webhooks.deliveries({
        urlParams: {
          limit,
          state: Option.getOrUndefined(state),
          type: Option.getOrUndefined(type),
          source: Option.getOrUndefined(source)
        }
      })
    ).pipe(Effect.flatMap((found) => writeList(found, { json, table: deliveryTable, none: "No deliveries." })))
).pipe(
  forService("Lists the webhooks that arrived, newest first"),
  Command.withSubcommands([show, replay])
)
