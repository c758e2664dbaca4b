import { type SkillFault, SkillName, type SkillSource, type SkillText } from "@troupe/domain/Skill"
import { Effect, Either, Schema } from "effect"
import { constants, type Dirent, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import { noLinkNoWait } from "../File/OpenDirectory.ts"
import { errorCode } from "../Runtime/ErrorText.ts"
import { scriptsFolder, type Skill, skillFileName } from "./Skill.ts"
import { maxFileBytes, parse } from "./SkillFile.ts"

/** A skill, and a stamp of its file that changes with the file, so that an unchanged one is not read again. */
export interface FoundSkill {
  readonly skill: Skill
  readonly stamp: string
}

export interface Scan {
  readonly found: ReadonlyArray<FoundSkill>
  readonly faults: ReadonlyArray<SkillFault>
}

const maxSkills = 1000
const maxScripts = 200
const maxScriptDepth = 4

/** The skills of a folder. Links are never followed, hidden entries ignored, and a missing folder counts as empty. */
export const scan = (
  root: string,
  source: SkillSource,
  known: ReadonlyMap<string, FoundSkill>
): Effect.Effect<Scan> =>
  Effect.gen(function*() {
    const entries = yield* Effect.either(entriesOf(root))
    if (Either.isLeft(entries)) return { found: [], faults: [fault(root, entries.left)] }
    const candidates = entries.right.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    const [faults, found] = yield* Effect.partition(
      candidates.slice(0, maxSkills),
      (entry) => Effect.mapError(readSkill(root, entry, source, known), (why) => fault(join(root, entry.name), why)),
      { concurrency: 8 }
    )
    return candidates.length > maxSkills
      ? { found, faults: [...faults, fault(root, `only the first ${maxSkills} skills are read`)] }
      : { found, faults }
  })

const fault = (path: string, message: string): SkillFault => ({ path, message })

const isName = Schema.is(SkillName)

const readSkill = (root: string, entry: Dirent, source: SkillSource, known: ReadonlyMap<string, FoundSkill>) =>
  Effect.gen(function*() {
    if (!entry.isDirectory()) return yield* Effect.fail("it is a link, and links are not followed")
    if (!isName(entry.name)) {
      return yield* Effect.fail("a skill's folder is named in lower case with hyphens, such as weekly-report")
    }
    const folder = join(root, entry.name)
    const file = yield* readChanged(folder, known.get(folder))
    if (file.text.name !== entry.name) {
      return yield* Effect.fail(`the name in ${skillFileName} is "${file.text.name}", but the folder's is another`)
    }
    const scripts = yield* scriptsOf(join(folder, scriptsFolder))
    const created = yield* attempt(() => lstat(folder))
    const { stamp, text, updatedAt } = file
    // File systems without a time of creation answer 0 or a later time.
    const createdAt = created.birthtimeMs > 0 ? Math.min(created.birthtimeMs, updatedAt) : updatedAt
    const skill: Skill = { ...text, source, folder, scripts, createdAt, updatedAt }
    return { skill, stamp }
  })

interface Read {
  readonly text: SkillText
  readonly stamp: string
  readonly updatedAt: number
}

/** The skill in a folder; the one read before if its file is unchanged. */
const readChanged = (folder: string, before: FoundSkill | undefined): Effect.Effect<Read, string> =>
  withFile(folder, (handle) =>
    Effect.gen(function*() {
      const stats = yield* attempt(() => handle.stat())
      if (!stats.isFile()) return yield* Effect.fail(notRegular)
      if (stats.size > maxFileBytes) return yield* Effect.fail(tooLarge)
      const stamp = stampOf(stats)
      const text = before?.stamp === stamp ? before.skill : yield* Effect.flatMap(read(handle), parse)
      return { text, stamp, updatedAt: stats.mtimeMs }
    }))

export const sourceOf = (folder: string): Effect.Effect<string, string> => withFile(folder, read)

const withFile = <A>(folder: string, use: (handle: FileHandle) => Effect.Effect<A, string>): Effect.Effect<A, string> =>
  Effect.acquireUseRelease(
    attempt(() => open(join(folder, skillFileName), constants.O_RDONLY | noLinkNoWait)),
    use,
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )

const notRegular = `${skillFileName} is not a regular file`
const tooLarge = `it is larger than ${maxFileBytes / 1024} KB`

/** A file that is renamed into place has another inode, so a change within one tick of the clock shows too. */
const stampOf = ({ ctimeMs, ino, mtimeMs, size }: Stats) => [ino, size, mtimeMs, ctimeMs].join(" ")

const read = (handle: FileHandle): Effect.Effect<string, string> =>
  Effect.gen(function*() {
    const bytes = new Uint8Array(maxFileBytes + 1)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = yield* attempt(() => handle.read(bytes, length, bytes.length - length, length))
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > maxFileBytes) return yield* Effect.fail(tooLarge)
    return yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length)),
      catch: () => "it is not UTF-8 text"
    })
  })

/** Regular files only: a link could make a script of anything on the machine. */
const scriptsOf = (folder: string, prefix = "", depth = 1): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.gen(function*() {
    const root = yield* Effect.either(attempt(() => lstat(folder)))
    if (Either.isLeft(root) || !root.right.isDirectory()) return []
    const entries = yield* entriesOf(folder)
    const nested = yield* Effect.forEach(entries, (entry) => {
      const name = `${prefix}${entry.name}`
      if (entry.isFile()) return Effect.succeed([name])
      return entry.isDirectory() && depth < maxScriptDepth && entry.name !== "node_modules"
        ? scriptsOf(join(folder, entry.name), `${name}/`, depth + 1)
        : Effect.succeed([])
    })
    const names = nested.flat()
    return names.length > maxScripts
      ? yield* Effect.fail(`it has more than ${maxScripts} files in ${scriptsFolder}`)
      : names
  })

const entriesOf = (folder: string): Effect.Effect<ReadonlyArray<Dirent>, string> =>
  Effect.tryPromise(() => readdir(folder, { withFileTypes: true })).pipe(
    Effect.map((entries) =>
      entries.filter(({ name }) => !name.startsWith(".")).sort((one, other) => one.name < other.name ? -1 : 1)
    ),
    Effect.catchAll(({ error }) =>
      errorCode(error) === "ENOENT" ? Effect.succeed([]) : Effect.fail(skillFailureReason(error))
    )
  )

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.mapError(Effect.tryPromise(work), ({ error }) => skillFailureReason(error))

export const skillFailureReason = (cause: unknown): string => {
  const code = errorCode(cause)
  return failureReasons[code] ?? `the file system fails with ${code === "" ? "an unknown error" : code}`
}

const failureReasons: Readonly<Record<string, string>> = {
  ENOENT: `there is no ${skillFileName}`,
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "it is a link, and links are not followed",
  EISDIR: notRegular,
  ENXIO: notRegular,
  EACCES: "the service has no permission for it",
  EPERM: "the service has no permission for it",
  EROFS: "it is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full"
}
