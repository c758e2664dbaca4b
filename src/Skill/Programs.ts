import { Effect, Option } from "effect"
import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { platform } from "node:os"
import { delimiter, join, resolve } from "node:path"
import { run } from "../Runtime/ChildProcess.ts"

const timeout = "5 seconds"

/** No paths: they would reveal what the file system contains. */
const programName = /^[\w.+-]+$/

export const whereIs = (name: string, path: string): Effect.Effect<string | null> => {
  if (!programName.test(name)) return Effect.succeed(null)
  const endings = platform() === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""]
  const candidates = path.split(delimiter).filter((folder) => folder !== "").flatMap((folder) =>
    endings.map((ending) => join(folder, name + ending))
  )
  return Effect.map(Effect.findFirst(candidates, isExecutable), Option.getOrNull)
}

const isExecutable = (candidate: string): Effect.Effect<boolean> =>
  isTrue(() => access(candidate, constants.X_OK).then(() => stat(candidate)).then((found) => found.isFile()))

export const isReadable = (path: string): Effect.Effect<boolean> => isTrue(() => access(path).then(() => true))

const isTrue = (check: () => Promise<boolean>): Effect.Effect<boolean> =>
  Effect.tryPromise(check).pipe(Effect.timeout(timeout), Effect.orElseSucceed(() => false))

/** The output of a program, or null if it fails or takes too long. */
export const outputOf = (
  program: string,
  args: ReadonlyArray<string>,
  path: string
): Effect.Effect<string | null> =>
  run(
    { program, args, env: { PATH: path }, cwd: resolve("/") },
    { watchdog: null, tracking: "group", grace: 0, timeout, maxOutputBytes: 1_000_000 }
  ).pipe(
    Effect.map(({ code, stdout, stopped }) => code === 0 && stopped === null ? stdout.toString("utf8") : null),
    Effect.orElseSucceed(() => null)
  )
