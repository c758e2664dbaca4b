import { CurrentUser } from "@troupe/api/Authentication"
import { ProblemError } from "@troupe/api/Problem"
import type { UserId } from "@troupe/domain/Ids"
import { Effect } from "effect"

/** Runs the uploads of each caller, at most `maxPerCaller` at a time in this process; one more is refused with 429. */
export const makeUploadLimit = (maxPerCaller: number) => {
  const ofCaller = new Map<UserId, number>()
  const count = (caller: UserId, added: number) =>
    Effect.sync(() => {
      const uploads = (ofCaller.get(caller) ?? 0) + added
      if (uploads === 0) ofCaller.delete(caller)
      else ofCaller.set(caller, uploads)
    })
  return <A, E, R>(upload: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | CurrentUser> =>
    Effect.flatMap(CurrentUser, ({ id }) =>
      Effect.suspend(() =>
        (ofCaller.get(id) ?? 0) >= maxPerCaller
          ? Effect.die(
            ProblemError.of("too-many-uploads", `At most ${maxPerCaller} uploads of a caller run at a time. Try again.`)
          )
          : Effect.acquireUseRelease(count(id, 1), () => upload, () => count(id, -1))
      ))
}
