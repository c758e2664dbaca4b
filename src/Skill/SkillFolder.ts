import { type SkillFault, SkillName, type SkillSource, type SkillText } from "@troupe/domain/Skill"
import { Array, Effect, Either, Predicate, Schema } from "effect"
import { constants, type Dirent, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readdir } from "node:fs/promises"
import { join } from "node:path"
import { scriptsFolder, type Skill, skillFileName } from "./Skill.ts"
import { maxFileBytes, parse } from "./SkillFile.ts"

/** A skill and the state of its file, by which a later look knows that it need not read it again. */
export interface Found {
  readonly skill: Skill
  readonly stamp: string
}

export interface Scan {
  readonly found: ReadonlyArray<Found>
  readonly faults: ReadonlyArray<SkillFault>
}

const mostSkills = 1000
const mostScripts = 200
const deepestScript = 4

/**
 * The skills of a folder, and what in it looks like one but is none. Links are never followed, hidden entries are
 * left alone, and a folder that isn't there holds nothing.
 */
export const scan = (
  root: string,
  source: SkillSource,
  known: ReadonlyMap<string, Found>
): Effect.Effect<Scan> =>
  Effect.gen(function*() {
    const entries = yield* Effect.either(entriesOf(root))
    if (Either.isLeft(entries)) return { found: [], faults: [fault(root, entries.left)] }
    const candidates = entries.right.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    const results = yield* Effect.forEach(
      candidates.slice(0, mostSkills),
      (entry) =>
        Effect.mapError(look(root, entry, source, known), (why) => fault(join(root, entry.name), why)).pipe(
          Effect.either
        ),
      { concurrency: 8 }
    )
    const [faults, found] = Array.separate(results)
    return candidates.length > mostSkills
      ? { found, faults: [...faults, fault(root, `only the first ${mostSkills} skills are read`)] }
      : { found, faults }
  })

const fault = (path: string, message: string): SkillFault => ({ path, message })

const isName = Schema.is(SkillName)

const look = (root: string, entry: Dirent, source: SkillSource, known: ReadonlyMap<string, Found>) =>
  Effect.gen(function*() {
    if (!entry.isDirectory()) return yield* Effect.fail("it is a link, and links are not followed")
    if (!isName(entry.name)) {
      return yield* Effect.fail("a skill's folder is named in lower case with hyphens, such as weekly-report")
    }
    const folder = join(root, entry.name)
    const before = known.get(folder)
    const file = yield* readChanged(join(folder, skillFileName), before)
    if (file.text.name !== entry.name) {
      return yield* Effect.fail(`the name in ${skillFileName} is "${file.text.name}", but the folder's is another`)
    }
    const scripts = yield* scriptsOf(join(folder, scriptsFolder))
    const born = yield* attempt(() => lstat(folder))
    const skill: Skill = {
      ...file.text,
      source,
      folder,
      scripts,
      // File systems that know no time of birth say 0 or something later.
      createdAt: born.birthtimeMs > 0 ? Math.min(born.birthtimeMs, file.updatedAt) : file.updatedAt,
      updatedAt: file.updatedAt
    }
    return { skill, stamp: file.stamp }
  })

interface Read {
  readonly text: SkillText
  readonly stamp: string
  readonly updatedAt: number
}

/** The skill in a file; the one read before when the file is as it was. */
const readChanged = (path: string, before: Found | undefined): Effect.Effect<Read, string> =>
  Effect.acquireUseRelease(
    attempt(() => open(path, constants.O_RDONLY | safely)),
    (handle) =>
      Effect.gen(function*() {
        const stats = yield* attempt(() => handle.stat())
        if (!stats.isFile()) return yield* Effect.fail(`${skillFileName} is not a regular file`)
        if (stats.size > maxFileBytes) return yield* Effect.fail(`it is larger than ${maxFileBytes / 1024} KB`)
        const stamp = stampOf(stats)
        const text = before?.stamp === stamp ? before.skill : yield* Effect.flatMap(read(handle), parse)
        return { text, stamp, updatedAt: stats.mtimeMs }
      }),
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )

/** What a skill's file says now, word for word. */
export const sourceOf = (folder: string): Effect.Effect<string, string> =>
  Effect.acquireUseRelease(
    attempt(() => open(join(folder, skillFileName), constants.O_RDONLY | safely)),
    read,
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )

/** A file that is renamed into place has another number, so a change within one tick of the clock is seen too. */
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
    if (length > maxFileBytes) return yield* Effect.fail(`it is larger than ${maxFileBytes / 1024} KB`)
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
      return entry.isDirectory() && depth < deepestScript && entry.name !== "node_modules"
        ? scriptsOf(join(folder, entry.name), `${name}/`, depth + 1)
        : Effect.succeed([])
    })
    const names = nested.flat()
    return names.length > mostScripts
      ? yield* Effect.fail(`it has more than ${mostScripts} files in ${scriptsFolder}`)
      : names
  })

const entriesOf = (folder: string): Effect.Effect<ReadonlyArray<Dirent>, string> =>
  Effect.tryPromise(() => readdir(folder, { withFileTypes: true })).pipe(
    Effect.map((entries) =>
      entries.filter(({ name }) => !name.startsWith(".")).sort((one, other) => one.name < other.name ? -1 : 1)
    ),
    Effect.catchAll(({ error }) => codeOf(error) === "ENOENT" ? Effect.succeed([]) : Effect.fail(meaningOf(error)))
  )

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.mapError(Effect.tryPromise(work), ({ error }) => meaningOf(error))

export const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"

/** What a file system's refusal means, in plain words. */
export const meaningOf = (cause: unknown): string => {
  const code = codeOf(cause)
  return meanings[code] ?? `the file system answers ${code}`
}

const meanings: Readonly<Record<string, string>> = {
  ENOENT: `there is no ${skillFileName}`,
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "it is a link, and links are not followed",
  EISDIR: `${skillFileName} is not a regular file`,
  ENXIO: `${skillFileName} is not a regular file`,
  EACCES: "the service has no permission for it",
  EPERM: "the service has no permission for it",
  EROFS: "it is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full"
}

/** Neither through a link nor waiting for the other end of a pipe; both flags are unknown on Windows. */
const safely = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
