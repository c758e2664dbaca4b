import { Effect, type Scope } from "effect"

/** How many streams each caller has open. */
export interface StreamLimit {
  readonly isReached: (caller: string) => boolean
  /** Counts a stream until the scope closes. */
  readonly hold: (caller: string) => Effect.Effect<void, never, Scope.Scope>
}

export const makeStreamLimit = (maxPerCaller: number): StreamLimit => {
  const ofCaller = new Map<string, number>()
  const count = (caller: string, added: number) =>
    Effect.sync(() => {
      const streams = (ofCaller.get(caller) ?? 0) + added
      if (streams === 0) ofCaller.delete(caller)
      else ofCaller.set(caller, streams)
    })
  return {
    isReached: (caller) => (ofCaller.get(caller) ?? 0) >= maxPerCaller,
    hold: (caller) => Effect.acquireRelease(count(caller, 1), () => count(caller, -1))
  }
}

export const tooManyStreams = (limit: number): string =>
  `The caller has ${limit} open event streams. Close one, or raise MAX_EVENT_STREAMS_PER_CALLER.`
