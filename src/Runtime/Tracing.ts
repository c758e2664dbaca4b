import { Context, type Effect } from "effect"

/** What a span tells: ids, names and numbers, and never a text that a person, a model or a tool wrote. */
export type Facts = Readonly<Record<string, string | number | boolean>>

/** Times of the process's own clock, in milliseconds since 1970. */
export interface Took {
  readonly from: number
  readonly to: number
}

/** How a piece of work shows in a trace. */
export interface SpanOf<in A> {
  readonly name: string
  /** `task_id` and `epoch` are told by the spans within it, too. */
  readonly facts?: Facts
  /** A piece of work that was done before, and with which this one begins. */
  readonly begins?: (Took & { readonly name: string }) | null
  /** The headers of the request that it answers, which may name the trace to belong to. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** What is known once it has ended well. */
  readonly ended?: (result: A) => { readonly name?: string; readonly facts?: Facts; readonly isError?: boolean }
}

/**
 * Spans of what Troupe does, of itself and not of its libraries: what theirs hold (statements, addresses, headers,
 * messages of errors) is not ours to vouch for. Whether there are any is decided at the start: `isOn` is asked before
 * anything is made for a span, so that without them the work is all that runs.
 */
export class Tracing extends Context.Reference<Tracing>()("troupe/Runtime/Tracing", {
  defaultValue: (): Tracer => off
}) {}

export interface Tracer {
  readonly isOn: boolean
  readonly now: () => number
  /** The work within a span, which is a part of the span around it. */
  readonly traced: <A, E, R>(span: SpanOf<A>, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** No spans: the work itself. */
export const off: Tracer = { isOn: false, now: () => 0, traced: (_, work) => work }
