import { Effect } from "effect"
import { readdir, readFile } from "node:fs/promises"

/** A live process and its memory in bytes. */
export interface Member {
  readonly pid: number
  readonly memory: number
  /** When it began, as the kernel counts: another process that gets its pid later began later. Empty when it is gone. */
  readonly began: string
}

const text = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(path, "latin1")), () => "")

const names = (path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readdir(path)), () => [])

const page = 4096

const memberOf = (pid: number): Effect.Effect<Member> =>
  Effect.zipWith(text(`/proc/${pid}/statm`), beganOf(pid), (statm, began) => ({
    pid,
    memory: Number(statm.split(" ")[1] ?? 0) * page,
    began
  }))

/** The name in brackets may hold anything. One that has ended may still be listed, as Z. */
const beganOf = (pid: number): Effect.Effect<string> =>
  Effect.map(text(`/proc/${pid}/stat`), (stat) => {
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" ? "" : fields[19] ?? ""
  })

const childrenOf = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.flatMap(names(`/proc/${pid}/task`), (threads) =>
    Effect.map(
      Effect.forEach(threads, (thread) => text(`/proc/${pid}/task/${thread}/children`)),
      (lists) => lists.flatMap((list) => list.trim().split(" ").filter((word) => word !== "").map(Number))
    ))

/** Those processes and what descends from them, nearest first; no more than `most`. Linux only; elsewhere they alone. */
export const descendants = (leaders: ReadonlyArray<number>, most: number): Effect.Effect<ReadonlyArray<Member>> =>
  Effect.gen(function*() {
    const pids = new Set(leaders)
    for (const pid of pids) {
      if (pids.size >= most) break
      for (const child of yield* childrenOf(pid)) pids.add(child)
    }
    return yield* Effect.forEach([...pids].slice(0, most), memberOf)
  })

/** Those of them that still run, and no others that got their pids. Linux only; elsewhere none. */
export const alive = (members: Iterable<Member>): Effect.Effect<ReadonlyArray<Member>> =>
  Effect.filter(members, ({ began, pid }) => Effect.map(beganOf(pid), (now) => began !== "" && now === began))

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
