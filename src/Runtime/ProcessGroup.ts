import spawn from "cross-spawn"
import { Either } from "effect"
import { kill, platform } from "node:process"

/** Whether a process can be started as the leader of a process group, which can be signalled as a whole. */
export const hasGroups = platform !== "win32"

/** Sends the signal to every process of the group; 0 sends none. False if the group has no process any more. */
export const signalGroup = (leader: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean => {
  if (hasGroups) return Either.isRight(Either.try(() => kill(-leader, signal)))
  if (signal === 0) return false
  spawn("taskkill", ["/pid", String(leader), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {})
  return true
}
