import { Context, Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { hasGroups } from "./Termination.ts"

export interface Guarded {
  /** Null before the process is started. */
  readonly group: number | null
  /** A `NAME=value`, without blanks, by which processes outside of the group are found (Linux only). */
  readonly variable: string | null
  readonly folder: string | null
}

/** A shell that ends the process groups when its pipe to this process closes, even by `kill -9`. Not on Windows. */
export class Watchdog extends Context.Tag("troupe/Runtime/Process/Watchdog")<Watchdog, {
  /** Begins to guard, or replaces what is guarded under this id, which has no blanks. */
  readonly guard: (id: string, guarded: Guarded) => void
  readonly release: (id: string) => void
}>() {
  static readonly layer: Layer.Layer<Watchdog> = Layer.scoped(
    this,
    Effect.gen(function*() {
      let shell: ChildProcess | null = null
      const send = (line: string) => {
        if (!hasGroups) return
        shell ??= startShell(() => (shell = null))
        shell.stdin?.write(line)
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => shell?.stdin?.end()))
      return Watchdog.of({
        guard: (id, { folder, group, variable }) =>
          send(
            `+ ${id} ${group ?? "-"} ${variable ?? "-"} ${folder === null || folder.includes("\n") ? "" : folder}\n`
          ),
        release: (id) => send(`- ${id}\n`)
      })
    })
  )
}

const startShell = (onEnd: () => void): ChildProcess => {
  const shell: ChildProcess = spawn("/bin/sh", ["-c", script, "watchdog"], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/"
  })
  shell.on("error", onEnd).on("exit", onEnd)
  shell.stdin?.on("error", () => {})
  shell.unref()
  return shell
}

// `guarded` holds a line "<id> <group> <variable> <folder>" for each id.
const script = `
trap '' HUP INT TERM
set -f
newline='
'
guarded=
while read -r sign id rest; do
  kept=
  IFS=$newline
  for entry in $guarded; do
    case $entry in "$id "*) ;; *) kept=$kept$entry$newline ;; esac
  done
  unset IFS
  guarded=$kept
  [ "$sign" = - ] || guarded="$guarded$id $rest$newline"
done
[ -n "$guarded" ] || exit 0
set +f
printf %s "$guarded" | while read -r id group rest; do
  [ "$group" = - ] || kill -s TERM -- "-$group"
done
sleep 2
printf %s "$guarded" | while read -r id group variable folder; do
  [ "$group" = - ] || kill -s KILL -- "-$group"
  [ "$variable" = - ] || for round in 1 2 3 4 5; do
    left=$(grep -lsF -- "$variable" /proc/[0-9]*/environ)
    [ -n "$left" ] || break
    for path in $left; do
      pid=\${path#/proc/}
      kill -s KILL "\${pid%/environ}"
    done
  done
  [ -n "$folder" ] || continue
  rm -rf -- "$folder" || { sleep 1; rm -rf -- "$folder"; }
done
`
