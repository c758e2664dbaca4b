import { Effect, Option } from "effect"
import type { Stats } from "node:fs"
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, realpath, rmdir, stat, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import process from "node:process"
import { attempt, EmbeddedPostgresFailed, onDisk, type SystemFailed } from "./EmbeddedPostgresFailed.ts"

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** The user PostgreSQL runs as: `nobody` if we are root, since it refuses to run as root; else ours (none). */
export const unprivileged: Effect.Effect<Option.Option<Account>> = Effect.suspend(() =>
  process.getuid?.() === 0 ? Effect.asSome(nobody) : Effect.succeedNone
)

const nobody: Effect.Effect<Account> = Effect.tryPromise(() => readFile("/etc/passwd", "utf8")).pipe(
  Effect.map((text) => /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(text)),
  Effect.orElseSucceed(() => null),
  Effect.map((entry) =>
    entry ? { uid: Number(entry[1]) >>> 0, gid: Number(entry[2]) >>> 0 } : { uid: 65_534, gid: 65_534 }
  )
)

const mayEnter = (stats: Stats, { gid, uid }: Account): boolean =>
  (stats.mode & (stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001)) !== 0

/** Whether the account may enter a folder, or run a file, and every folder above it. */
export const canReach = (account: Account, path: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => stat(path)).pipe(
    Effect.flatMap((stats) =>
      !mayEnter(stats, account)
        ? Effect.succeed(false)
        : dirname(path) === path
        ? Effect.succeed(true)
        : canReach(account, dirname(path))
    ),
    Effect.orElseSucceed(() => false)
  )

/** If the account can't reach the folder (a project in root's home), it becomes a link to one under /var/lib. */
export const makeReachable = (
  account: Option.Option<Account>,
  folder: string
): Effect.Effect<string, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    yield* onDisk(`create the folder ${folder}`, makeFolders(folder))
    const real = yield* onDisk(`read the folder ${folder}`, attempt(() => realpath(folder)))
    if (Option.isNone(account) || (yield* canReach(account.value, real))) return real
    if (yield* exists(join(real, "cluster"))) {
      return yield* new EmbeddedPostgresFailed({
        reason: "storage",
        detail: `PostgreSQL runs as "nobody", not as root, and "nobody" may not enter ${real}`
      })
    }
    return yield* onDisk(`move ${folder} to where "nobody" can reach it`, moveOut(folder, real))
  })

const makeFolders = (folder: string): Effect.Effect<void, SystemFailed> =>
  Effect.gen(function*() {
    if (yield* exists(folder)) return
    yield* makeFolders(dirname(folder))
    // Independent of the umask: others may pass through, but not list it.
    yield* attempt(() => mkdir(folder).then(() => chmod(folder, 0o711))).pipe(
      Effect.catchIf(({ code }) => code === "EEXIST", () => Effect.void)
    )
  })

const moveOut = (folder: string, real: string): Effect.Effect<string, SystemFailed> =>
  Effect.gen(function*() {
    yield* makeFolders(reachableFolder)
    const home = yield* attempt(() => mkdtemp(join(reachableFolder, "postgres-")))
    yield* attempt(() => chmod(home, 0o711))
    yield* attempt(() => rmdir(real))
    yield* attempt(() => symlink(home, folder))
    return home
  })

const reachableFolder = "/var/lib/troupe"

export const exists = (path: string): Effect.Effect<boolean> =>
  Effect.promise(() => lstat(path).then(() => true, () => false))

export const handOver = (account: Option.Option<Account>, path: string): Effect.Effect<void, SystemFailed> =>
  Option.match(account, {
    onNone: () => Effect.void,
    onSome: ({ gid, uid }) => attempt(() => chown(path, uid, gid))
  })
