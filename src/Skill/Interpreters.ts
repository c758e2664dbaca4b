import { type Duration, Effect, Option } from "effect"
import { constants } from "node:fs"
import { access, open, realpath, stat } from "node:fs/promises"
import { platform } from "node:os"
import { basename, delimiter, extname, join, resolve } from "node:path"
import { execPath } from "node:process"
import { type ProcessCommand, run } from "../Runtime/Process/ChildProcess.ts"

const timeout = "5 seconds"

/** No paths: they would reveal what the file system contains. */
const programName = /^[\w.+-]+$/

export const whereIs = (name: string, path: string): Effect.Effect<string | null> => {
  if (!programName.test(name)) return Effect.succeed(null)
  const endings = platform() === "win32" ? [".exe", ".cmd", ".bat", ""] : [""]
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

/** The output of a program that gets nothing of this process but the path, or null if it fails or takes too long. */
export const outputOf = (program: string, args: ReadonlyArray<string>, path: string): Effect.Effect<string | null> =>
  outputOfCommand({ program, args, env: { PATH: path }, cwd: resolve("/") }, timeout)

/** The output of a program, or null if it fails or takes too long. */
export const outputOfCommand = (
  command: ProcessCommand,
  timeLimit: Duration.DurationInput
): Effect.Effect<string | null> =>
  run(command, { watchdog: null, tracking: "group", grace: 0, timeout: timeLimit, maxOutputBytes: 1_000_000 }).pipe(
    Effect.map(({ code, stdout, stopped }) => code === 0 && stopped === null ? stdout.toString("utf8") : null),
    Effect.orElseSucceed(() => null)
  )

/** The program that runs a script, and the arguments before the script. */
export interface Interpreter {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** Files and folders without which it does not start. */
  readonly needs: ReadonlyArray<string>
}

const byExtension: Readonly<Record<string, string>> = {
  ".py": "python3",
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".sh": "sh"
}

/**
 * The interpreter of the script's first line, by its name alone, or that of its extension; or why there is none. `node` is
 * this process's own, unless it is not `usable`.
 */
export const interpreterOf = (
  script: string,
  path: string,
  usable: (program: string) => Effect.Effect<boolean>
): Effect.Effect<Interpreter, string> =>
  Effect.gen(function*() {
    const usual = byExtension[extname(script)]
    const words = shebang(yield* firstLine(script)) ?? (usual === undefined ? [] : [usual])
    const [name, ...args] = words
    if (name === undefined) {
      return yield* Effect.fail(
        "its first line names no interpreter (#!), and its name does not end in .py, .js or .sh"
      )
    }
    const found = yield* located(name, path, usable)
    return found === null ? yield* Effect.fail(`it needs ${name}, which this machine lacks`) : { ...found, args }
  })

const firstLine = (script: string): Effect.Effect<string, string> =>
  Effect.acquireUseRelease(
    Effect.tryPromise(() => open(script, "r")),
    (handle) => Effect.tryPromise(() => handle.read(new Uint8Array(256), 0, 256, 0)),
    (handle) => Effect.promise(() => handle.close())
  ).pipe(
    Effect.mapBoth({
      onFailure: () => "it can't be read",
      onSuccess: ({ buffer, bytesRead }) =>
        new TextDecoder().decode(buffer.subarray(0, bytesRead)).split("\n", 1)[0] ?? ""
    })
  )

/** The words of `#!/usr/bin/env -S node --flag` or `#!/usr/bin/python3 -u`, without the folder of the program. */
const shebang = (line: string): ReadonlyArray<string> | null => {
  if (!line.startsWith("#!")) return null
  const [first = "", ...rest] = line.slice(2).trim().split(/\s+/)
  const words = basename(first) === "env" ? rest.filter((word) => word !== "-S") : [first, ...rest]
  const [program = "", ...args] = words
  return program === "" ? null : [basename(program), ...args]
}

const pythonProbe = "import sys\nprint(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')"

const located = (
  name: string,
  path: string,
  usable: (program: string) => Effect.Effect<boolean>
): Effect.Effect<Omit<Interpreter, "args"> | null> =>
  Effect.gen(function*() {
    if (name === "node" && (yield* usable(execPath))) return { program: execPath, needs: [execPath] }
    const place = yield* whereIs(name, path)
    if (place === null) return null
    if (/^python[\d.]*$/.test(name)) {
      // The one on the PATH may be a wrapper of another.
      const [program = "", ...needs] = (yield* outputOf(place, ["-c", pythonProbe], path))?.trim().split("\n") ?? []
      return program === "" ? null : { program, needs }
    }
    const program = yield* Effect.orElseSucceed(Effect.tryPromise(() => realpath(place)), () => place)
    return { program: name === basename(program) ? program : place, needs: [place, program] }
  })
