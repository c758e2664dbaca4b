import { type Caller, isSelfHosted } from "@troupe/domain/Caller"
import { Effect, Stream } from "effect"
import type { Identity } from "./Identity.ts"

/** How often the sign-in of a stream's reader is checked again. */
const interval = "1 minute"

/**
 * Ends a stream once its reader's token has expired or its reader has left the team; not while that can't be checked.
 */
export const whileSignedIn = (
  { authenticate }: Identity["Type"],
  caller: Caller,
  authorization: string | undefined
): <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R> => {
  const signedOut = authenticate(authorization).pipe(
    Effect.catchTag("SignInUnavailable", () => Effect.void),
    Effect.catchAllDefect((defect) =>
      Effect.logWarning("Could not check the sign-in of a stream's reader; next attempt in 1 minute", defect)
    ),
    Effect.delay(interval),
    Effect.forever,
    Effect.ignore
  )
  // Self-hosted, a stream needs no fiber for this.
  return (stream) => isSelfHosted(caller) ? stream : Stream.interruptWhen(stream, signedOut)
}
