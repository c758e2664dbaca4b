import { Context, Option, Tracer } from "effect"

const status: Tracer.SpanStatus = { _tag: "Started", startTime: 0n }

/** A span, never exported: the router publishes the path's template only as the attribute `http.route`. */
export class RouteTemplate implements Tracer.Span {
  readonly _tag = "Span"
  readonly name = "request"
  readonly spanId = "0000000000000000"
  readonly traceId = "00000000000000000000000000000000"
  readonly parent = Option.none<Tracer.AnySpan>()
  readonly context = Context.make(Tracer.DisablePropagation, true)
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
