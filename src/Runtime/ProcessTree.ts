import { Effect } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { platform } from "node:process"

export const canFind = platform === "linux"

export interface ProcessInfo {
  readonly pid: number
  readonly group: number
  readonly residentBytes: number
  /** In clock ticks since the boot. It tells a process from a later one with the same pid. */
  readonly startTime: string
}

const text = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readFile(path, "latin1")), () => "")

const names = (path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(Effect.tryPromise(() => readdir(path)), () => [])

const pageBytes = 4096

const infoOf = (pid: number): Effect.Effect<ProcessInfo | null> =>
  Effect.map(text(`/proc/${pid}/stat`), (stat) => {
    // The name before the last bracket may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [state = "", , group = ""] = fields
    if (state === "" || state === "Z") return null
    return { pid, group: Number(group), startTime: fields[19] ?? "", residentBytes: Number(fields[21]) * pageBytes }
  })

const running = (pids: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.map(Effect.forEach(pids, infoOf), (found) => found.filter((info) => info !== null))

const childrenOf = (pid: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.flatMap(names(`/proc/${pid}/task`), (threads) =>
    Effect.map(
      Effect.forEach(threads, (thread) => text(`/proc/${pid}/task/${thread}/children`)),
      (lists) => lists.flatMap((list) => list.trim().split(" ").filter((word) => word !== "").map(Number))
    ))

/** These processes and their descendants, parents first; at most `max`. */
export const descendants = (roots: ReadonlyArray<number>, max: number): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.gen(function*() {
    const pids = new Set(roots)
    for (const pid of pids) {
      if (pids.size >= max) break
      for (const child of yield* childrenOf(pid)) pids.add(child)
    }
    return yield* running([...pids].slice(0, max))
  })

export const stillRunning = (processes: ReadonlyArray<ProcessInfo>): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.filter(processes, ({ pid, startTime }) => Effect.map(infoOf(pid), (now) => now?.startTime === startTime))

/** The processes of the group and those with this `NAME=value` in their environment, at most `max`. */
export const findProcesses = (
  group: number,
  variable: string,
  max: number
): Effect.Effect<ReadonlyArray<ProcessInfo>> =>
  Effect.gen(function*() {
    const found: Array<ProcessInfo> = []
    for (const name of yield* names("/proc")) {
      if (found.length >= max) break
      const info = /^\d+$/.test(name) ? yield* infoOf(Number(name)) : null
      if (info === null) continue
      if (info.group === group || (yield* text(`/proc/${name}/environ`)).includes(variable)) found.push(info)
    }
    return found
  })
