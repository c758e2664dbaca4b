import { Effect } from "effect"
import { readdir, readFile } from "node:fs/promises"

/** A live process and its memory in bytes. */
export interface Member {
  readonly pid: number
  readonly memory: number
}

const text = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(path, "latin1")), () => "")

const names = (path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readdir(path)), () => [])

const page = 4096

const memberOf = (pid: number): Effect.Effect<Member> =>
  Effect.map(text(`/proc/${pid}/statm`), (statm) => ({ pid, memory: Number(statm.split(" ")[1] ?? 0) * page }))

const childrenOf = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.flatMap(names(`/proc/${pid}/task`), (threads) =>
    Effect.map(
      Effect.forEach(threads, (thread) => text(`/proc/${pid}/task/${thread}/children`)),
      (lists) => lists.flatMap((list) => list.trim().split(" ").filter((word) => word !== "").map(Number))
    ))

/** A process and what descends from it, nearest first; no more than `most`. Linux only; elsewhere the process alone. */
export const descendants = (leader: number, most: number): Effect.Effect<ReadonlyArray<Member>> =>
  Effect.gen(function*() {
    const pids = [leader]
    for (let index = 0; index < pids.length && pids.length < most; index++) {
      pids.push(...yield* childrenOf(pids[index] ?? leader))
    }
    return yield* Effect.forEach(pids.slice(0, most), memberOf)
  })

/** The processes in whose environment the mark stands, whoever their parent is by now. Linux only; elsewhere none. */
export const marked = (mark: string, most: number): Effect.Effect<ReadonlyArray<Member>> =>
  Effect.gen(function*() {
    const found: Array<number> = []
    for (const name of yield* names("/proc")) {
      if (found.length >= most) break
      if (/^\d+$/.test(name) && (yield* text(`/proc/${name}/environ`)).includes(mark)) found.push(Number(name))
    }
    return yield* Effect.forEach(found, memberOf)
  })
