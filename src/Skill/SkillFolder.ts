import type { SkillFault, SkillSource } from "@troupe/domain/Skill"
import { Effect, Either } from "effect"
import { isUtf8 } from "node:buffer"
import { constants, type Dirent, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { noLinkNoWait } from "../File/OpenDirectory.ts"
import { errorCode } from "../Runtime/ErrorText.ts"
import { decodeText } from "../Runtime/TextDecoding.ts"
import { scriptsFolder, type Skill, skillFileName } from "./Skill.ts"
import { maxFileBytes, parse, type ParsedSkill } from "./SkillFile.ts"

/** A skill, and a stamp of its file that changes with the file, so that an unchanged one is not read again. */
export interface FoundSkill {
  readonly skill: Skill
  readonly parsed: ParsedSkill
  readonly stamp: string
}

export interface Scan {
  readonly found: ReadonlyArray<FoundSkill>
  readonly faults: ReadonlyArray<SkillFault>
}

const maxSkills = 1000
const maxScripts = 200
const maxOtherFiles = 200
const maxFileDepth = 4

/** The skills of a folder. Links are never followed, hidden entries ignored, and a missing folder counts as empty. */
export const scan = (
  root: string,
  source: SkillSource,
  known: ReadonlyMap<string, FoundSkill>
): Effect.Effect<Scan> =>
  Effect.gen(function*() {
    const entries = yield* Effect.either(entriesOf(root))
    if (Either.isLeft(entries)) return { found: [], faults: [fault(root, entries.left)] }
    const candidates = entries.right.filter((entry) =>
      entry.name !== packagesFolder && (entry.isDirectory() || entry.isSymbolicLink())
    )
    const [faults, all] = yield* Effect.partition(
      candidates.slice(0, maxSkills),
      (entry) => Effect.mapError(readSkill(root, entry, source, known), (why) => fault(join(root, entry.name), why)),
      { concurrency: 8 }
    )
    const { clashes, found } = withoutClashes(all)
    faults.push(...clashes)
    return candidates.length > maxSkills
      ? { found, faults: [...faults, fault(root, `only the first ${maxSkills} skills are read`)] }
      : { found, faults }
  })

const fault = (path: string, message: string): SkillFault => ({ path, message })

/** Of two skills with one name, the one whose folder has that name, or else the first by folder, is used. */
const withoutClashes = (all: ReadonlyArray<FoundSkill>) => {
  const byName = new Map<string, FoundSkill>()
  const isNamesake = ({ skill }: FoundSkill) => basename(skill.folder) === skill.name
  for (const one of all) {
    const known = byName.get(one.skill.name)
    if (known === undefined || (!isNamesake(known) && isNamesake(one))) byName.set(one.skill.name, one)
  }
  const found = [...byName.values()]
  const clashes = all.filter((one) => !found.includes(one)).map(({ skill }) => {
    const used = byName.get(skill.name)?.skill.folder ?? ""
    return fault(skill.folder, `the skill in the folder "${basename(used)}" is named "${skill.name}" too; rename one`)
  })
  return { found, clashes }
}

const readSkill = (root: string, entry: Dirent, source: SkillSource, known: ReadonlyMap<string, FoundSkill>) =>
  Effect.gen(function*() {
    if (!entry.isDirectory()) return yield* Effect.fail("it is a link, and links are not followed")
    const folder = join(root, entry.name)
    const names = (yield* entriesOf(folder)).map(({ name }) => name)
    const file = names.find((name) => name === skillFileName)
      ?? names.find((name) => name.toLowerCase() === skillFileName.toLowerCase())
    if (file === undefined) return yield* Effect.fail(noSkillFile)
    const { parsed, stamp, updatedAt } = yield* readChanged(folder, file, known.get(folder))
    const scripts = yield* filesOf(join(folder, scriptsFolder), maxScripts + 1)
    if (scripts.length > maxScripts) {
      return yield* Effect.fail(`it has more than ${maxScripts} files in ${scriptsFolder}`)
    }
    const others = yield* filesOf(folder, maxOtherFiles, (name) => name !== file && name !== scriptsFolder)
    const created = yield* attempt(() => lstat(folder))
    const skill: Skill = {
      ...parsed.text,
      aliases: parsed.aliases,
      warnings: file === skillFileName
        ? parsed.warnings
        : [...parsed.warnings, `its file is named "${file}"; other programs read only ${skillFileName}`],
      source,
      folder,
      file,
      scripts,
      files: others,
      // File systems without a time of creation answer 0 or a later time.
      createdAt: created.birthtimeMs > 0 ? Math.min(created.birthtimeMs, updatedAt) : updatedAt,
      updatedAt
    }
    return { skill, parsed, stamp }
  })

interface Read {
  readonly parsed: ParsedSkill
  readonly stamp: string
  readonly updatedAt: number
}

/** The skill in a folder; the one read before if its file is unchanged. */
const readChanged = (folder: string, file: string, before: FoundSkill | undefined): Effect.Effect<Read, string> =>
  withFile(join(folder, file), (handle) =>
    Effect.gen(function*() {
      const stats = yield* attempt(() => handle.stat())
      if (!stats.isFile()) return yield* Effect.fail(notRegular)
      if (stats.size > maxFileBytes) return yield* Effect.fail(tooLarge)
      const stamp = `${file} ${stampOf(stats)}`
      const parsed = before?.stamp === stamp ? before.parsed : yield* parsedFrom(yield* read(handle), basename(folder))
      return { parsed, stamp, updatedAt: stats.mtimeMs }
    }))

const parsedFrom = (bytes: Uint8Array, folder: string): Either.Either<ParsedSkill, string> =>
  Either.map(parse(decodeText(bytes), folder), (parsed) =>
    isUtf8(bytes)
      ? parsed
      : { ...parsed, warnings: ["the file is not UTF-8, so its characters were guessed", ...parsed.warnings] })

/** The text of a SKILL.md. */
export const sourceOf = (path: string): Effect.Effect<string, string> =>
  withFile(path, (handle) => Effect.map(read(handle), decodeText))

const withFile = <A>(path: string, use: (handle: FileHandle) => Effect.Effect<A, string>): Effect.Effect<A, string> =>
  Effect.acquireUseRelease(
    attempt(() => open(path, constants.O_RDONLY | noLinkNoWait)),
    use,
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )

const noSkillFile = `there is no ${skillFileName}`
const notRegular = `${skillFileName} is not a regular file`
const tooLarge = `it is larger than ${maxFileBytes / 1024} KB`

/** A file that is renamed into place has another inode, so a change within one tick of the clock shows too. */
const stampOf = ({ ctimeMs, ino, mtimeMs, size }: Stats) => [ino, size, mtimeMs, ctimeMs].join(" ")

const read = (handle: FileHandle): Effect.Effect<Uint8Array, string> =>
  Effect.gen(function*() {
    const bytes = new Uint8Array(maxFileBytes + 1)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = yield* attempt(() => handle.read(bytes, length, bytes.length - length, length))
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length > maxFileBytes) return yield* Effect.fail(tooLarge)
    return bytes.subarray(0, length)
  })

const packagesFolder = "node_modules"

/**
 * Regular files only, by their path in the folder: a link could make a file of a skill of anything on the machine.
 * Stops at `limit`.
 */
const filesOf = (
  folder: string,
  limit: number,
  isWanted: (name: string) => boolean = () => true
): Effect.Effect<ReadonlyArray<string>, string> => {
  const found: Array<string> = []
  const visit = (location: string, prefix: string, depth: number): Effect.Effect<void, string> =>
    Effect.gen(function*() {
      const root = yield* Effect.either(attempt(() => lstat(location)))
      if (Either.isLeft(root) || !root.right.isDirectory()) return
      for (const entry of yield* entriesOf(location)) {
        if (found.length >= limit) return
        if (depth === 1 && !isWanted(entry.name)) continue
        const name = `${prefix}${entry.name}`
        if (entry.isFile()) found.push(name)
        if (entry.isDirectory() && depth < maxFileDepth && entry.name !== packagesFolder) {
          yield* visit(join(location, entry.name), `${name}/`, depth + 1)
        }
      }
    })
  return Effect.as(visit(folder, "", 1), found)
}

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
  ENOENT: noSkillFile,
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
