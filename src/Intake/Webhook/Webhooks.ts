import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"
import type { SqlClient } from "@effect/sql/SqlClient"
import { WebhookMember } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import type { WebhookStats, WebhookStatus } from "@troupe/api/WebhooksApi"
import type { SearchUnfinished } from "@troupe/domain/Search"
import { plural } from "@troupe/domain/Text"
import {
  type WebhookDelivery,
  type WebhookDeliveryContent,
  WebhookDeliveryEmptied,
  WebhookDeliveryId,
  WebhookDeliveryNotFound,
  type WebhookQueueStats,
  type WebhookReceipt,
  WebhookUnverified
} from "@troupe/domain/Webhook"
import { settingOf } from "@troupe/domain/WebhookScheme"
import { Clock, Context, Effect, Either, Layer, Option, Schema } from "effect"
import type { SearchStatements } from "../../Runtime/Database/SearchStatements.ts"
import { IncomingRequest } from "../../Runtime/IncomingRequest.ts"
import { networkOf } from "../../Runtime/NetworkAddress.ts"
import { memoryLimit } from "../../Runtime/RateLimits.ts"
import { chatSource } from "../Chat/StoredEvents.ts"
import { InboundSource } from "../InboundMessage.ts"
import { InboundQueue } from "../InboundQueue.ts"
import { isLocal } from "./LocalSender.ts"
import type { SignedRequest } from "./Scheme/Scheme.ts"
import { decodedBody, webhookPayloadOf } from "./WebhookPayload.ts"
import { type DeliveryFilter, makeWebhookRepo, type WorkerLease } from "./WebhookRepo.ts"
import {
  deliveryIdOf,
  hasSecret,
  secretSettingOf,
  signedDeliveryIdOf,
  verify,
  type WebhookSecrets
} from "./WebhookSignature.ts"

export const webhookSource = InboundSource.make("webhook")

export interface WebhookOptions extends WebhookSecrets, WorkerLease {
  readonly maxBodyBytes: number
  /** Of this service, as senders call it. */
  readonly publicUrl: URL
  /** Refuses webhooks that have neither a secret for their type nor a member's token, except of team-chat. */
  readonly isHosted: boolean
  /** Tasks of webhooks that anybody may have sent have all tools. */
  readonly trustUnsigned: boolean
  /** The same of single types, by what follows the prefix in the names of their settings. */
  readonly trusted?: ReadonlyMap<string, boolean>
  /** Of type team-chat, from one address or IPv6 network of 64 bits; 0: no limit. */
  readonly chatPerMinute: number
  /** The same of all addresses together, while the type has no secret. */
  readonly chatInAllPerMinute: number
}

/** Webhooks: they are committed to the queue, from which a worker makes tasks of them. */
export class Webhooks extends Context.Tag("troupe/Intake/Webhook/Webhooks")<Webhooks, {
  /** Reads the body of the current request. Succeeds after the commit; a repeated delivery has the id of the first. */
  readonly receive: (
    type: string,
    request: Pick<HttpServerRequest, "headers" | "remoteAddress" | "url">
  ) => Effect.Effect<WebhookReceipt, WebhookUnverified>
  readonly stats: Effect.Effect<WebhookQueueStats, SearchUnfinished>
  readonly report: Effect.Effect<typeof WebhookStats.Type, SearchUnfinished>
  readonly status: Effect.Effect<typeof WebhookStatus.Type, SearchUnfinished>
  readonly list: (filter: DeliveryFilter) => Effect.Effect<ReadonlyArray<WebhookDelivery>, SearchUnfinished>
  /** A delivery with its headers and payload. */
  readonly find: (id: WebhookDeliveryId) => Effect.Effect<WebhookDeliveryContent, WebhookDeliveryNotFound>
  /** Queues the kept body of a webhook again, and yields the id of the new delivery; chat that failed stays the same one. */
  readonly replay: (
    id: WebhookDeliveryId
  ) => Effect.Effect<WebhookDeliveryId, WebhookDeliveryNotFound | WebhookDeliveryEmptied>
}>() {
  static readonly layer = (
    options: WebhookOptions
  ): Layer.Layer<Webhooks, never, InboundQueue | SearchStatements | SqlClient> =>
    Layer.effect(
      this,
      Effect.gen(function*() {
        const queue = yield* InboundQueue
        const repo = yield* makeWebhookRepo(options)
        const limitChat = chatLimit(options)

        const receive: Webhooks["Type"]["receive"] = Effect.fn("Webhooks.receive")(function*(given, sent) {
          const { headers, url } = sent
          const request = yield* IncomingRequest
          if (given === "team-chat") yield* limitChat(request.address)
          const creator = yield* member
          if (given !== "team-chat" && options.isHosted && creator === null && !hasSecret(options, given)) {
            return yield* unsigned(given)
          }
          const body = yield* Effect.orDie(request.body(options.maxBodyBytes))
          const signed = { headers, body, url: calledUrl(options.publicUrl, url) }
          const verified = verify(options, given, signed, yield* Clock.currentTimeMillis)
          if (Either.isLeft(verified)) return yield* new WebhookUnverified({ reason: verified.left })
          const { scheme, type } = verified.right
          const id = yield* queue.accept({
            source: webhookSource,
            type,
            deliveryId: scheme === null
              ? deliveryIdOf(type, { headers, body })
              : signedDeliveryIdOf(scheme, signed),
            orderingKey: null,
            body,
            headers: withoutSecrets(headers),
            contentType: headers["content-type"] ?? null,
            url: urlWithoutSecrets(url),
            sourceIp: request.address === "" ? null : request.address,
            sender: null,
            creator,
            isVerified: scheme !== null || creator !== null
              || (options.trusted?.get(settingOf(type)) ?? options.trustUnsigned)
              || (!options.isHosted && isLocal(sent))
          })
          return { status: "received" as const, message_id: WebhookDeliveryId.make(id), webhook_type: type }
        })

        const find = Effect.fn("Webhooks.find")(function*(id: WebhookDeliveryId) {
          const [delivery] = yield* repo.find(id)
          const [kept] = yield* repo.read(id)
          if (delivery === undefined || kept === undefined) return yield* new WebhookDeliveryNotFound({ id })
          const { body, contentType, headers, source, url } = kept
          // Other sources have people's own conversations.
          const payload = body === null || source !== webhookSource
            ? null
            : webhookPayloadOf({ body: yield* decodedBody({ body, headers }, options.maxBodyBytes), contentType })
              .fields
          return { ...delivery, url, headers: withoutSecrets(headers), payload }
        })

        const replay = Effect.fn("Webhooks.replay")(function*(id: WebhookDeliveryId) {
          const [found] = yield* repo.read(id)
          if (found === undefined) return yield* new WebhookDeliveryNotFound({ id })
          const { body, source } = found
          if (body === null) return yield* new WebhookDeliveryEmptied({ id })
          // Another event with the same content could act a second time.
          if (source === chatSource) return yield* Effect.as(repo.requeue(id), id)
          const queued = yield* queue.accept({ ...found, body, deliveryId: null, orderingKey: null })
          return WebhookDeliveryId.make(queued)
        })

        return Webhooks.of({
          receive,
          stats: repo.stats,
          report: Effect.all({ queue_stats: repo.stats, recent_failed_messages: repo.recentFailures }),
          status: Effect.zipWith(repo.workers, repo.stats, ({ isLive, wasLive }, queue_stats) => ({
            status: isLive ? "running" : wasLive ? "stopped" : "not_initialized",
            queue_stats
          })),
          list: repo.list,
          find,
          replay
        })
      })
    )
}

/** What the sender has called, also where a proxy has changed host, scheme or a beginning of the path. */
const calledUrl = ({ href }: URL, path: string): string => {
  const base = href.endsWith("/") ? href.slice(0, -1) : href
  return path.startsWith("/") ? base + path : path
}

/** Whose token the current request has; null: nobody's, as always if self-hosted and on the ingestor. */
const member = Effect.map(
  Effect.serviceOption(WebhookMember),
  (found) => Option.getOrNull(found)?.id ?? null
)

const unsigned = (type: string) =>
  new WebhookUnverified({
    reason:
      `In hosted mode the ingestor takes webhooks of type ${type} only signed: set ${secretSettingOf(type)} here and `
      + "the same secret at the sender, or send them to the API with a token."
  })

const chatLimit = (options: WebhookOptions) => {
  const limitOfOne = memoryLimit(() => options.chatPerMinute)
  const limitOfAll = memoryLimit(() => options.chatInAllPerMinute)
  return Effect.fnUntraced(function*(address: string) {
    const ofAll = hasSecret(options, "team-chat") ? [] : [limitOfAll("all")]
    for (const limit of [limitOfOne(networkOf(address)), ...ofAll]) {
      const seconds = yield* limit
      if (seconds > 0) {
        return yield* Effect.die(ProblemError.of("rate-limited", `Try again in ${plural(seconds, "second")}.`))
      }
    }
  })
}

const isDeliveryId = Schema.is(WebhookDeliveryId)

/** Ids of another form name no delivery. */
export const deliveryOf = (id: string): Effect.Effect<WebhookDeliveryId, WebhookDeliveryNotFound> =>
  isDeliveryId(id) ? Effect.succeed(id) : Effect.fail(new WebhookDeliveryNotFound({ id }))

const redacted = "[redacted]"

const isSecret = (name: string): boolean =>
  ["authorization", "cookie", "proxy-authorization"].includes(name)
  || /(?:^|[-_])(?:token|secret|password|api[-_]?key)$/.test(name)

const withoutSecrets = (headers: SignedRequest["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isSecret(name.toLowerCase()) ? redacted : value]]
    )
  )

/** A path with its query as they are stored: some senders are given a secret in the query. */
const urlWithoutSecrets = (url: string): string => {
  const [path = "", query] = url.split(/\?(.*)/s, 2)
  if (query === undefined) return path
  const parts = query.split("&").map((part) => {
    const [name = ""] = part.split("=", 1)
    return isSecret(name.toLowerCase()) || /^(?:sig|signature|key)$/i.test(name) ? `${name}=${redacted}` : part
  })
  return `${path}?${parts.join("&")}`
}
