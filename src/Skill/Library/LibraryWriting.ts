import { Clock, Data, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { cp, link, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { errorCode } from "../../Runtime/ErrorText.ts"
import { failureReason } from "./LibraryFile.ts"

/** The folder of a library can't be written. */
export class Unwritable extends Data.TaggedError("Unwritable")<{ readonly reason: string }> {}

/** There is a file or folder of that name already. */
export class Occupied extends Data.TaggedError("Occupied") {}

/** Hidden: the remains of an interrupted write are never read as a definition, and `sweep` deletes them. */
const temporaryPrefix = ".troupe-writing-"

const temporary = (folder: string) => join(folder, temporaryPrefix + randomUUID())

const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, Unwritable> =>
  Effect.mapError(Effect.tryPromise(work), ({ error }) => unwritable(path, error))

const unwritable = (path: string, cause: unknown) =>
  new Unwritable({ reason: errorCode(cause) === "ENOENT" ? "it was deleted meanwhile" : failureReason(path, cause) })

/** The bytes are synced before the file gets its name, so a crash leaves the old file or the new one. */
const write = (path: string, content: string): Effect.Effect<void, Unwritable> =>
  Effect.acquireUseRelease(
    attempt(path, () => open(path, "wx", 0o644)),
    (handle) => Effect.zipRight(attempt(path, () => handle.writeFile(content)), attempt(path, () => handle.sync())),
    (handle) => Effect.promise(() => handle.close())
  )

/** Removes what a failure left behind; what can't be removed is hidden and does no harm. */
const discard = (path: string) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))

/** Gives a draft its name; fails if something has it already. */
const named = (target: string, work: () => Promise<unknown>): Effect.Effect<void, Occupied | Unwritable> =>
  Effect.catchAll(Effect.asVoid(attempt(target, work)), (failure) =>
    Effect.flatMap(
      present(target),
      (found): Effect.Effect<void, Occupied | Unwritable> => Effect.fail(found === "nothing" ? failure : new Occupied())
    ))

/** Creates a folder with a file in one step; with the other files beside `origin`, where it is a copy. */
export const makeFolder = (
  folder: string,
  file: string,
  content: string,
  origin: string | null
): Effect.Effect<void, Occupied | Unwritable> => {
  const draft = temporary(dirname(folder))
  return Effect.gen(function*() {
    yield* attempt(draft, () => mkdir(draft, { recursive: true }))
    if (origin !== null) yield* attempt(draft, () => copyFiles(origin, draft))
    yield* write(join(draft, file), content)
    yield* named(folder, () => rename(draft, folder))
  }).pipe(Effect.ensuring(discard(draft)))
}

/** Creates a file in one step. */
export const makeFile = (path: string, content: string): Effect.Effect<void, Occupied | Unwritable> => {
  const draft = temporary(dirname(path))
  return Effect.gen(function*() {
    yield* attempt(path, () => mkdir(dirname(path), { recursive: true }))
    yield* write(draft, content)
    // A link, unlike a rename, replaces nothing.
    yield* named(path, () => link(draft, path))
  }).pipe(Effect.ensuring(discard(draft)))
}

const copyFiles = (origin: string, copy: string): Promise<void> =>
  cp(dirname(origin), copy, {
    recursive: true,
    filter: (path) => path === origin ? false : lstat(path).then((one) => !one.isSymbolicLink())
  })

export const replace = (path: string, content: string): Effect.Effect<void, Unwritable> => {
  const draft = temporary(dirname(path))
  return write(draft, content).pipe(
    Effect.zipRight(attempt(path, () => rename(draft, path))),
    Effect.ensuring(discard(draft))
  )
}

/** What has that name. */
export const present = (path: string): Effect.Effect<"nothing" | "file" | "folder" | "link", Unwritable> =>
  Effect.tryPromise(() => lstat(path)).pipe(
    Effect.map((found) => found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file"),
    Effect.catchAll(({ error }) =>
      absent.has(errorCode(error)) ? Effect.succeed("nothing" as const) : Effect.fail(unwritable(path, error))
    )
  )

const absent = new Set(["ENOENT", "ENOTDIR"])

/** Removes a file, or a folder in one step and then its files. Of a link only the link is removed. */
export const remove = (path: string): Effect.Effect<void, Unwritable> => {
  const removed = temporary(dirname(path))
  return Effect.zipRight(attempt(path, () => rename(path, removed)), discard(removed))
}

/** Deletes the remains of interrupted writes and deletions, once they are too old to be in use. */
export const sweep = (root: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const left = (yield* Effect.tryPromise(() => readdir(root))).filter((name) => name.startsWith(temporaryPrefix))
    yield* Effect.forEach(left, (name) =>
      Effect.flatMap(
        Effect.tryPromise(() => lstat(join(root, name))),
        ({ mtimeMs }) => now - mtimeMs > 60 * 60 * 1000 ? discard(join(root, name)) : Effect.void
      ))
  }).pipe(Effect.ignore)
