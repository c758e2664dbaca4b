import { Context, Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { hasGroups } from "./ProcessGroup.ts"

/**
 * Ends the process groups of this process's tool servers when this process is gone, even by `kill -9`: a small shell,
 * in a session of its own, that reads from us which groups there are and ends them when the reading ends. Where there
 * are no process groups (Windows) it does nothing, and servers end when they see their input end.
 */
export class Watchdog extends Context.Tag("troupe/ToolServer/Watchdog")<Watchdog, {
  readonly guard: (group: number) => void
  readonly release: (group: number) => void
}>() {
  /** The shell is started with the first group that it is told of. */
  static readonly layer: Layer.Layer<Watchdog> = Layer.scoped(
    this,
    Effect.gen(function*() {
      let shell: ChildProcess | null = null
      const tell = (line: string) => {
        if (!hasGroups) return
        shell ??= startShell(() => (shell = null))
        shell.stdin?.write(line)
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => shell?.stdin?.end()))
      return Watchdog.of({
        guard: (group) => tell(`+ ${group}\n`),
        release: (group) => tell(`- ${group}\n`)
      })
    })
  )
}

const startShell = (onEnd: () => void): ChildProcess => {
  const shell = spawn("/bin/sh", ["-c", script], {
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
groups=
while read -r sign id; do
  kept=
  for group in $groups; do [ "$group" = "$id" ] || kept="$kept $group"; done
  groups=$kept
  [ "$sign" = - ] || groups="$groups $id"
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`
