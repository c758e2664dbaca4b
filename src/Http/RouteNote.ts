import { Context, Option, type Tracer } from "effect"

const status: Tracer.SpanStatus = { _tag: "Started", startTime: 0n }

/**
 * Keeps the template of the path that a request took. The router tells it to the span that it finds (`http.route`) and
 * to nobody else, so this is a span, which goes nowhere.
 */
export class RouteNote implements Tracer.Span {
  readonly _tag = "Span"
  readonly name = "request"
  readonly spanId = "0000000000000000"
  readonly traceId = "00000000000000000000000000000000"
  readonly parent = Option.none<Tracer.AnySpan>()
  readonly context = Context.empty()
  readonly status = status
  readonly attributes: ReadonlyMap<string, unknown> = none
  readonly links: ReadonlyArray<Tracer.SpanLink> = []
  readonly sampled = false
  readonly kind = "internal"
  route: string | null = null

  attribute(key: string, value: unknown): void {
    if (key === "http.route" && typeof value === "string") this.route = value
  }
  event(): void {}
  addLinks(): void {}
  end(): void {}
}

const none = new Map<string, unknown>()
