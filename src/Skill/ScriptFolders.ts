import { plural } from "@troupe/domain/Plural"
import { Clock, Effect, Either } from "effect"
import { createHash } from "node:crypto"
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import process, { kill, pid } from "node:process"

/** A folder's name identifies its owner: the machine (several may share the parent folder), the process, its start. */
const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8)
const prefix = "troupe-script-"
const own = `${prefix}${machine}-${pid}-${Math.round(performance.timeOrigin).toString(36)}-`

/** A folder for one script's temporary files, removed at the end of the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.orDie(Effect.tryPromise(() => mkdtemp(join(tmpdir(), own)))),
  (folder) => removed(folder)
)

const removed = (folder: string) =>
  Effect.isSuccess(Effect.tryPromise(() => rm(folder, { recursive: true, force: true })))

/** No script runs as long as this. */
const maxAgeMillis = 3_600_000

/** Removes folders that earlier processes left behind when they and their watchdog were killed. */
export const removeStaleFolders: Effect.Effect<void> = Effect.gen(function*() {
  const names = yield* Effect.orElseSucceed(Effect.tryPromise(() => readdir(tmpdir())), () => [])
  const folders = names.filter((name) => name.startsWith(prefix) && !name.startsWith(own))
  const stale = yield* Effect.filter(folders, isStale)
  const results = yield* Effect.forEach(stale, (name) => removed(join(tmpdir(), name)))
  const count = results.filter((isRemoved) => isRemoved).length
  if (count > 0) {
    yield* Effect.logInfo(`Removed ${plural(count, "temporary folder")} of skill scripts of an earlier process`)
  }
})

const isStale = (name: string): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const stats = yield* Effect.tryPromise(() => lstat(join(tmpdir(), name)))
    if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid)) return false
    const [madeOn, madeBy] = name.slice(prefix.length).split("-")
    const owner = madeOn === machine ? Number(madeBy) : 0
    return now - stats.mtimeMs > maxAgeMillis || (owner > 0 && (owner === pid || !isAlive(owner)))
  }).pipe(Effect.orElseSucceed(() => false))

const isAlive = (owner: number): boolean => Either.isRight(Either.try(() => kill(owner, 0)))
