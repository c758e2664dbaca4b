import { Clock, Context, Effect, Layer, Option } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { lstat, mkdir, open, readdir, readFile, rename, unlink, utimes } from "node:fs/promises"
import { join } from "node:path"
import { createNew } from "./FileWrites.ts"
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
    return Effect.acquireUseRelease(
      attempt(path, () => open(temporary, createNew, 0o600)),
      (handle) =>
        attempt(path, () => handle.writeFile(content).then(() => handle.sync()).then(() => rename(temporary, path))),
      (handle) =>
        Effect.zipRight(Effect.promise(() => handle.close()), Effect.ignore(attempt(path, () => unlink(temporary))))
    )
  }

  const removeOld = (names: ReadonlyArray<string>, before: number) =>
    Effect.forEach(names, (name) => {
      const path = join(folder, name)
      return Effect.ignore(
        attempt(path, () => lstat(path).then(({ mtimeMs }) => mtimeMs < before ? unlink(path) : undefined))
      )
    }, { discard: true })

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
        yield* removeOld(names.filter((name) => !needed.has(name)), before)
      })
  }
}
