import { Context, type Option, Tracer } from "effect"

/** A span that is not exported and has no log lines; those within it belong to the span around it, `parent`. */
export const hiddenSpan = (
  name: string,
  parent: Option.Option<Tracer.AnySpan>,
  attribute: Tracer.Span["attribute"] = () => {}
): Tracer.Span => ({
  _tag: "Span",
  name,
  spanId: "hidden",
  traceId: "hidden",
  parent,
  context: Context.make(Tracer.DisablePropagation, true),
  status: { _tag: "Started", startTime: 0n },
  attributes: new Map(),
  links: [],
  sampled: false,
  kind: "internal",
  attribute,
  event: () => {},
  addLinks: () => {},
  end: () => {}
})
