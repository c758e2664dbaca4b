import { type SkillName, SkillNameTaken, SkillsUnwritable } from "@troupe/domain/Skill"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { cp, lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { skillFileName } from "./Skill.ts"
import { codeOf, meaningOf } from "./SkillFolder.ts"

/** Hidden, so no look at the skills takes it for one. */
const temporary = (folder: string) => join(folder, `.troupe-writing-${randomUUID()}`)

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, SkillsUnwritable> =>
  Effect.mapError(Effect.tryPromise(work), ({ error }) => unwritable(error))

const unwritable = (cause: unknown) =>
  new SkillsUnwritable({ reason: codeOf(cause) === "ENOENT" ? "it was removed meanwhile" : meaningOf(cause) })

/** The bytes are on the disk before the name is, so a crash leaves the old file or the new one. */
const write = (path: string, content: string): Effect.Effect<void, SkillsUnwritable> =>
  Effect.acquireUseRelease(
    attempt(() => open(path, "wx", 0o644)),
    (handle) => Effect.zipRight(attempt(() => handle.writeFile(content)), attempt(() => handle.sync())),
    (handle) => Effect.promise(() => handle.close())
  )

/** Removes what a failure left behind; what can't be removed is hidden and does no harm. */
const discard = (path: string) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))

/**
 * Puts a skill's folder at its place, whole or not at all. `origin` is the folder whose scripts and other files it
 * starts with. Of two that make the same skill at once, in whichever process, one fails.
 */
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
        Effect.flatMap(exists(target), (taken) =>
          Effect.fail(taken ? new SkillNameTaken({ name }) : failure)))
    }).pipe(Effect.ensuring(discard(draft)))
  })

const copyFiles = (origin: string, copy: string): Promise<void> =>
  cp(origin, copy, {
    recursive: true,
    filter: (path) => path === join(origin, skillFileName) ? false : lstat(path).then((one) => !one.isSymbolicLink())
  })

/** Replaces a skill's SKILL.md. */
export const replace = (folder: string, content: string): Effect.Effect<void, SkillsUnwritable> => {
  const draft = temporary(folder)
  return write(draft, content).pipe(
    Effect.zipRight(attempt(() => rename(draft, join(folder, skillFileName)))),
    Effect.ensuring(discard(draft))
  )
}

/** Whether there is anything of that name, broken skills included. */
export const exists = (folder: string): Effect.Effect<boolean, SkillsUnwritable> =>
  Effect.tryPromise(() => lstat(folder)).pipe(
    Effect.as(true),
    Effect.catchAll(({ error }) => codeOf(error) === "ENOENT" ? Effect.succeed(false) : unwritable(error))
  )

/** Takes a skill's folder away in one step, then its files. A link itself goes, never what it leads to. */
export const remove = (root: string, name: SkillName): Effect.Effect<void, SkillsUnwritable> => {
  const doomed = temporary(root)
  return Effect.zipRight(attempt(() => rename(join(root, name), doomed)), discard(doomed))
}
