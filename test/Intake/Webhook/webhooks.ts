import { Effect, Layer } from "effect"
import { InboundQueue } from "../../../src/Intake/InboundQueue.ts"
import { type WebhookOptions, Webhooks } from "../../../src/Intake/Webhook/Webhooks.ts"
import { makeFakes } from "../../Http/Fakes.ts"
import { request } from "../../Http/RawHttp.ts"
import { started } from "../../Http/TestServer.ts"
import { Wire } from "../../support/TaskWorld.ts"

const defaults: WebhookOptions = {
  maxBodyBytes: 1024 * 1024,
  publicUrl: new URL("https://troupe.example.org/"),
  isHosted: false,
  trustUnsigned: false,
  chatPerMinute: 3,
  chatInAllPerMinute: 0,
  secrets: new Map(),
  schemes: new Map(),
  lockExpirationSeconds: 20
}

/** The API over the real queue; yields its port. */
export const served = (
  options: Partial<WebhookOptions> = {},
  settings: Readonly<Record<string, string>> = {},
  given: Layer.Layer<never> = Layer.empty
) =>
  Effect.gen(function*() {
    const webhooks = yield* Layer.build(
      Webhooks.layer({ ...defaults, ...options }).pipe(Layer.provide(InboundQueue.layer))
    )
    return { port: yield* started(makeFakes(), settings, Layer.merge(Layer.succeedContext(webhooks), given)) }
  })

/** Posts a webhook of the type. */
export const send = (
  port: number,
  type: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {}
) => request(port, { method: "POST", path: `/webhook/${type}`, body, headers })

export const get = (port: number, path: string) =>
  Effect.map(request(port, { path }), ({ json, status }) => [status, json])

/** What the queue has, oldest first. */
export const stored = Effect.flatMap(
  Wire,
  ({ query }) =>
    query<{ type: string; body: Buffer; headers: string; url: string; source_ip: string; content_type: string }>(
      "select type, body, headers, url, source_ip, content_type from inbound_messages order by position"
    )
)
