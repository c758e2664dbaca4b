import { Effect } from "effect"
import { kill } from "node:process"
import { alive, descendants, marked, type Member } from "../Runtime/ProcessFamily.ts"
import type { GroupSignal } from "../Runtime/ProcessGroup.ts"

/** More processes of one server are not looked at. */
export const maxMembers = 10_000

const lookEvery = "25 millis"
const graceAfterTerm = "1500 millis"
const maxKills = 20

/**
 * Ends the processes of a tool server that are left after its process group has ended: those that carry its mark in
 * their environment, those of `family` (its descendants before its end, which may have cleared theirs), and their
 * descendants. SIGTERM first, SIGKILL after one and a half seconds. Linux only; elsewhere it finds none.
 */
export const endStragglers = (mark: string, family: ReadonlyArray<Member>): Effect.Effect<void> =>
  Effect.gen(function*() {
    let known = family
    const find = Effect.gen(function*() {
      const found = [...yield* marked(mark, maxMembers), ...yield* alive(known)]
      const members = found.length === 0 ? [] : yield* descendants(found.map(({ pid }) => pid), maxMembers)
      known = members.filter(({ began }) => began !== "")
      return known
    })
    if ((yield* find).length === 0) return
    yield* signalAll(known, "SIGTERM")
    yield* Effect.delay(Effect.suspend(() => alive(known)), lookEvery).pipe(
      Effect.repeat({ until: (left) => left.length === 0 }),
      Effect.interruptible,
      Effect.timeoutOption(graceAfterTerm)
    )
    // While one is left it may start others.
    for (let kills = 0; kills < maxKills; kills++) {
      if ((yield* find).length === 0) return
      yield* signalAll(known, "SIGKILL")
      yield* Effect.sleep(lookEvery)
    }
    yield* Effect.logWarning("Processes of a tool server are still there after SIGKILL")
  })

const signalAll = (members: ReadonlyArray<Member>, signal: GroupSignal): Effect.Effect<void> =>
  Effect.forEach(members, ({ pid }) => Effect.ignore(Effect.try(() => kill(pid, signal))), { discard: true })
