import { Duration, Effect } from "effect"
import { execFile } from "node:child_process"
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { platform } from "node:os"
import { delimiter, join, resolve } from "node:path"

/** Only plain names: a path would be a question about the file system. */
const programName = /^[\w.+-]+$/

/** Where the program stands on this PATH, or null. */
export const whereIs = (name: string, path: string): Effect.Effect<string | null> => {
  if (!programName.test(name)) return Effect.succeed(null)
  const endings = platform() === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""]
  const places = path.split(delimiter).filter((folder) => folder !== "").flatMap((folder) =>
    endings.map((ending) => join(folder, name + ending))
  )
  return Effect.map(Effect.findFirst(places, runs), (found) => found._tag === "Some" ? found.value : null)
}

const runs = (place: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => access(place, constants.X_OK).then(() => stat(place))).pipe(
    Effect.map((found) => found.isFile()),
    Effect.timeout("5 seconds"),
    Effect.orElseSucceed(() => false)
  )

const patience = Duration.toMillis("5 seconds")

/** What a program prints, or null if it fails or takes longer than 5 s. It is killed with the fiber that waits for it. */
export const outputOf = (
  program: string,
  args: ReadonlyArray<string>,
  path: string
): Effect.Effect<string | null> =>
  Effect.async<string | null>((resume) => {
    const child = execFile(
      program,
      args,
      { cwd: resolve("/"), env: { PATH: path }, timeout: patience, killSignal: "SIGKILL" },
      (error, output) => resume(Effect.succeed(error === null ? output : null))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
