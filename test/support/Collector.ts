import { Effect, Option, Redacted, Schema, type Scope } from "effect"
import type { IncomingHttpHeaders } from "node:http"
import type { TracingSettings } from "../../src/Runtime/Telemetry/OtlpTracing.ts"
import { serve } from "./LocalServer.ts"

const Attribute = Schema.Struct({
  key: Schema.String,
  value: Schema.Record({ key: Schema.String, value: Schema.Unknown })
})

const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optional(Schema.String),
  name: Schema.String,
  kind: Schema.Int,
  startTimeUnixNano: Schema.String,
  endTimeUnixNano: Schema.String,
  attributes: Schema.Array(Attribute),
  events: Schema.Array(Schema.Unknown),
  links: Schema.Array(Schema.Unknown),
  status: Schema.Struct({ code: Schema.Int, message: Schema.optional(Schema.String) })
})

const Delivery = Schema.parseJson(Schema.Struct({
  resourceSpans: Schema.Array(Schema.Struct({
    resource: Schema.Struct({ attributes: Schema.Array(Attribute) }),
    scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
  }))
}))

/** A span as it came, with its attributes as facts. */
export interface Received extends Omit<typeof Span.Type, "attributes"> {
  readonly facts: Readonly<Record<string, unknown>>
}

const factsOf = (attributes: ReadonlyArray<typeof Attribute.Type>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A collector of spans. A test reads what it received, and can make it fail. */
export interface Collector {
  readonly url: string
  /** The body of every delivery, as it came. */
  readonly bodies: ReadonlyArray<string>
  readonly headers: ReadonlyArray<IncomingHttpHeaders>
  readonly paths: ReadonlyArray<string | undefined>
  readonly spans: () => ReadonlyArray<Received>
  readonly resources: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The status of its responses; null: none until it is released. */
  status: number | null
  readonly release: () => void
}

export const collector: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function*() {
  const bodies: Array<string> = []
  const headers: Array<IncomingHttpHeaders> = []
  const paths: Array<string | undefined> = []
  const held: Array<() => void> = []
  const deliveries = () => bodies.flatMap((body) => Schema.decodeSync(Delivery)(body).resourceSpans)
  const made: Collector = {
    url: yield* serve((request, response) => {
      let body = ""
      request.on("data", (chunk) => body += String(chunk)).on("end", () => {
        bodies.push(body)
        headers.push(request.headers)
        paths.push(request.url)
        const answer = (status: number) => response.writeHead(status, { "content-type": "application/json" }).end("{}")
        if (made.status === null) held.push(() => answer(200))
        else answer(made.status)
      })
    }),
    bodies,
    headers,
    paths,
    status: 200,
    release: () => held.forEach((answer) => answer()),
    spans: () =>
      deliveries().flatMap(({ scopeSpans }) => scopeSpans).flatMap(({ spans }) => spans).map((
        { attributes, ...span }
      ) => ({ ...span, facts: factsOf(attributes) })),
    resources: () => deliveries().map(({ resource }) => factsOf(resource.attributes))
  }
  return made
})

/** Settings that send spans there. */
export const sendingTo = (url: string, more: Partial<TracingSettings> = {}): TracingSettings => ({
  endpoint: new URL(url),
  headers: Option.some(Redacted.make({ "api-key": "a key" })),
  serviceName: "troupe-test",
  sampleRatio: 1,
  ...more
})
