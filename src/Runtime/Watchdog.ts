import { Context, Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { hasGroups } from "./ProcessGroup.ts"

/** The variable by which processes of tool servers are known, and their descendants, who inherit it. */
export const markVariable = "TROUPE_TOOL_SERVER"

/**
 * Ends the process groups of this process's tool servers when this process is gone, even by `kill -9`: a small shell,
 * in a session of its own, that reads from us which groups there are and ends them when the reading ends. Where there
 * are no process groups (Windows) it does nothing, and servers end when they see their input end. On Linux it also ends
 * the processes that left their group: those whose `TROUPE_TOOL_SERVER` begins with the mark.
 */
export class Watchdog extends Context.Tag("troupe/Runtime/Watchdog")<Watchdog, {
  readonly guard: (group: number) => void
  readonly release: (group: number) => void
  readonly mark: string
}>() {
  /** The shell is started with the first group that it is told of. */
  static readonly layer: Layer.Layer<Watchdog> = Layer.scoped(
    this,
    Effect.gen(function*() {
      const mark = randomUUID()
      let shell: ChildProcess | null = null
      const tell = (line: string) => {
        if (!hasGroups) return
        shell ??= startShell(mark, () => (shell = null))
        shell.stdin?.write(line)
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => shell?.stdin?.end()))
      return Watchdog.of({
        mark,
        guard: (group) => tell(`+ ${group}\n`),
        release: (group) => tell(`- ${group}\n`)
      })
    })
  )
}

const startShell = (mark: string, onEnd: () => void): ChildProcess => {
  const shell = spawn("/bin/sh", ["-c", script, "watchdog", `${markVariable}=${mark}.`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/"
  })
  shell.on("error", onEnd).on("exit", onEnd)
  shell.stdin.on("error", () => {})
  shell.unref()
  return shell
}

const script = `
trap '' HUP INT TERM
end_marked() {
  for file in $(grep -lF "$2" /proc/[0-9]*/environ 2>/dev/null); do
    id=\${file#/proc/}
    kill -s "$1" "\${id%/environ}" 2>/dev/null
  done
}
groups=
while read -r sign id; do
  kept=
  for group in $groups; do [ "$group" = "$id" ] || kept="$kept $group"; done
  groups=$kept
  [ "$sign" = - ] || groups="$groups $id"
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
end_marked TERM "$1"
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
end_marked KILL "$1"
`
