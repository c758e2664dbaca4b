import { type SkillName, SkillNameTaken, SkillsUnwritable } from "@troupe/domain/Skill"
import { Clock, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { cp, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { errorCode } from "../Runtime/ErrorText.ts"
import { skillFileName } from "./Skill.ts"
import { skillFailureReason } from "./SkillFolder.ts"

/** Hidden: the remains of an interrupted write are never read as a skill, and `sweep` deletes them. */
const temporaryPrefix = ".troupe-writing-"

const temporary = (folder: string) => join(folder, temporaryPrefix + randomUUID())

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, SkillsUnwritable> =>
  Effect.mapError(Effect.tryPromise(work), ({ error }) => unwritable(error))

const unwritable = (cause: unknown) =>
  new SkillsUnwritable({
    reason: errorCode(cause) === "ENOENT" ? "it was deleted meanwhile" : skillFailureReason(cause)
  })

/** The bytes are synced before the file gets its name, so a crash leaves the old file or the new one. */
const write = (path: string, content: string): Effect.Effect<void, SkillsUnwritable> =>
  Effect.acquireUseRelease(
    attempt(() => open(path, "wx", 0o644)),
    (handle) => Effect.zipRight(attempt(() => handle.writeFile(content)), attempt(() => handle.sync())),
    (handle) => Effect.promise(() => handle.close())
  )

/** Removes what a failure left behind; what can't be removed is hidden and does no harm. */
const discard = (path: string) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))

/** Creates a skill's folder in one step, with the scripts and other files of the skill whose file is `origin`. */
export const make = (
  root: string,
  name: SkillName,
  content: string,
  origin: string | null
): Effect.Effect<void, SkillNameTaken | SkillsUnwritable> =>
  Effect.gen(function*() {
    const draft = temporary(root)
    yield* Effect.gen(function*() {
      yield* attempt(() => mkdir(draft, { recursive: true }))
      if (origin !== null) yield* attempt(() => copyFiles(origin, draft))
      yield* write(join(draft, skillFileName), content)
      const target = join(root, name)
      yield* Effect.catchAll(attempt(() => rename(draft, target)), (failure) =>
        Effect.flatMap(present(target), (found) =>
          Effect.fail(found === "nothing" ? failure : new SkillNameTaken({ name }))))
    }).pipe(Effect.ensuring(discard(draft)))
  })

const copyFiles = (origin: string, copy: string): Promise<void> =>
  cp(dirname(origin), copy, {
    recursive: true,
    filter: (path) => path === origin ? false : lstat(path).then((one) => !one.isSymbolicLink())
  })

export const replace = (path: string, content: string): Effect.Effect<void, SkillsUnwritable> => {
  const draft = temporary(dirname(path))
  return write(draft, content).pipe(
    Effect.zipRight(attempt(() => rename(draft, path))),
    Effect.ensuring(discard(draft))
  )
}

/** What has that name: a link may be a broken skill, a file never is one. */
export const present = (path: string): Effect.Effect<"nothing" | "file" | "folder", SkillsUnwritable> =>
  Effect.tryPromise(() => lstat(path)).pipe(
    Effect.map((found) => found.isDirectory() || found.isSymbolicLink() ? "folder" as const : "file" as const),
    Effect.catchAll(({ error }) =>
      absent.has(errorCode(error)) ? Effect.succeed("nothing" as const) : Effect.fail(unwritable(error))
    )
  )

const absent = new Set(["ENOENT", "ENOTDIR"])

/** Removes a skill's folder in one step, then its files. Of a link only the link is removed. */
export const remove = (folder: string): Effect.Effect<void, SkillsUnwritable> => {
  const removed = temporary(dirname(folder))
  return Effect.zipRight(attempt(() => rename(folder, removed)), discard(removed))
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
