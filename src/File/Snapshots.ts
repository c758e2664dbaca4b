import * as SqlClient from "@effect/sql/SqlClient"
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rename, utimes } from "node:fs/promises"
import { join, posix } from "node:path"
import { AttachedFiles } from "../Delivery/OutboxChannel.ts"
import { ScheduledJobs } from "../Runtime/Cluster/ScheduledJobs.ts"
import type { AttachedFile } from "../Wire/Mail.ts"
import { removeOld, temporaryFile } from "./FileChanges.ts"
import { Sandbox } from "./Sandbox.ts"
import { attempt, type SandboxRefused } from "./SandboxRefused.ts"

/** Copies of the files of messages, under the SHA-256 of their content. */
export class Snapshots extends Context.Tag("troupe/File/Snapshots")<Snapshots, {
  /** Returns the digest. A copy that nothing refers to is kept for an hour. */
  readonly save: (content: Uint8Array) => Effect.Effect<string, SandboxRefused>
  readonly read: (digest: string) => Effect.Effect<Option.Option<Uint8Array>>
  /** Deletes the copies that are older than an hour and not `used`. */
  readonly sweep: <E, R>(used: Effect.Effect<ReadonlySet<string>, E, R>) => Effect.Effect<void, E, R>
}>() {
  static readonly layer = ({ root }: { readonly root: string }): Layer.Layer<Snapshots> =>
    Layer.sync(this, () => make(join(root, folderName)))
}

/** Beside the users' folders: no user id begins with a dot. */
const folderName = ".outbox"

const keptMillis = 3_600_000

const isDigest = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

const make = (folder: string): Snapshots["Type"] => {
  const touched = (path: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => attempt(path, () => utimes(path, now / 1000, now / 1000)))

  const written = (path: string, content: Uint8Array) => {
    const temporary = join(folder, randomUUID())
    return Effect.scoped(
      Effect.flatMap(
        temporaryFile(temporary, path, 0o600),
        (handle) =>
          attempt(path, () => handle.writeFile(content).then(() => handle.sync()).then(() => rename(temporary, path)))
      )
    )
  }

  return {
    save: Effect.fn("Snapshots.save")(function*(content) {
      const digest = createHash("sha256").update(content).digest("hex")
      const path = join(folder, digest)
      yield* attempt(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }))
      yield* Effect.catchAll(touched(path), () => written(path, content))
      return digest
    }),
    read: (digest) =>
      isDigest(digest)
        ? Effect.option(attempt(digest, () => readFile(join(folder, digest))))
        : Effect.succeed(Option.none()),
    sweep: (used) =>
      Effect.gen(function*() {
        const before = (yield* Clock.currentTimeMillis) - keptMillis
        const names = yield* Effect.orElseSucceed(attempt(folder, () => readdir(folder)), () => [])
        if (names.length === 0) return
        const needed = yield* used
        yield* removeOld(folder, names.filter((name) => !needed.has(name)), before)
      })
  }
}

export const layerAttachedFiles: Layer.Layer<AttachedFiles, never, Sandbox | Snapshots> = Layer.effect(
  AttachedFiles,
  Effect.zipWith(Sandbox, Snapshots, (sandbox, snapshots) =>
    AttachedFiles.of({
      copy: snapshots.read,
      read: Effect.fn("AttachedFiles.read")(function*(userId, paths, maxBytes) {
        const files: Array<AttachedFile> = []
        const missing: Array<string> = []
        let room = maxBytes
        for (const path of paths) {
          const content = yield* Effect.option(sandbox.readBytes(userId, path, { maxBytes: Math.max(room, 1) }))
          if (content._tag === "None" || content.value.length > room) {
            missing.push(path)
          } else {
            room -= content.value.length
            files.push({ filename: posix.basename(posix.normalize(path)), content: content.value })
          }
        }
        return { files, missing }
      })
    }))
)

/** Deletes the copies of files whose messages were sent or deleted, every hour on one worker. */
export const layerSnapshotCleanup: Layer.Layer<never, never, SqlClient.SqlClient | ScheduledJobs | Snapshots> = Layer
  .scopedDiscard(
    Effect.flatMap(Effect.all([SqlClient.SqlClient, ScheduledJobs, Snapshots]), ([sql, jobs, snapshots]) =>
      jobs.start({
        name: "snapshot_cleanup",
        scope: "cluster",
        schedule: Schedule.spaced("1 hour"),
        run: snapshots.sweep(
          Effect.map(
            sql<{ digest: string }>`select distinct unnest(files) as digest from outbox
where files is not null and (due_at is not null or state = 'failed')`,
            (rows) => new Set(rows.map(({ digest }) => digest))
          )
        )
      }))
  )
