import spawn from "cross-spawn"
import { Either } from "effect"
import type { ChildProcess } from "node:child_process"
import { kill, platform } from "node:process"

export type GroupSignal = "SIGTERM" | "SIGKILL"

/** Whether processes can be started as the head of a group that gets its signals as one. */
export const hasGroups = platform !== "win32"

/** Sends to every process of the group; false when there is none any more. */
export const signalGroup = (pid: number, signal: GroupSignal | 0): boolean => {
  if (!hasGroups) return signalTree(pid, signal)
  return Either.isRight(Either.try(() => kill(-pid, signal)))
}

/** Windows has no groups; its own tool ends a process with its children. */
const signalTree = (pid: number, signal: GroupSignal | 0): boolean => {
  if (signal === 0) return false
  spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
  return true
}

/** How long the rest of a group is given after SIGTERM, and how often it is looked after. */
const graceMillis = 1_500
const lookMillis = 25

/** Ends what is left of the group of a process that has ended itself, and answers once nothing of it is left. */
export const endGroup = (pid: number): Promise<void> =>
  new Promise((resolve) => {
    if (!signalGroup(pid, "SIGTERM")) return resolve()
    let waited = 0
    const look = () => {
      waited += lookMillis
      if (!signalGroup(pid, 0)) return resolve()
      // A process that is dead and whom nobody buries still counts: it is not waited for without end.
      if (waited >= graceMillis) signalGroup(pid, "SIGKILL")
      if (waited >= 2 * graceMillis) return resolve()
      setTimeout(look, lookMillis)
    }
    setTimeout(look, lookMillis)
  })

/** Ends a running process and its group: by SIGTERM after `patienceMillis`, by SIGKILL if that does not help. */
export const endProcess = (child: ChildProcess, pid: number, patienceMillis: number): void => {
  const signal = (name: GroupSignal) => () => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, name)
  }
  const term = setTimeout(signal("SIGTERM"), patienceMillis)
  const kill = setTimeout(signal("SIGKILL"), patienceMillis + graceMillis)
  child.once("exit", () => {
    clearTimeout(term)
    clearTimeout(kill)
  })
}
