import { verbatimChars } from "@troupe/domain/Text"
import { Effect, identity, type Scope } from "effect"
import { constants } from "node:fs"
import { lstat, realpath } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { bytesOf, linesOf } from "../File/FileContent.ts"
import { type Entry, entryOf, listFolder } from "../File/Listing.ts"
import { onlyRegular, type OpenDirectory, openDirectory, type OpenFile, openFile } from "../File/OpenDirectory.ts"
import { maxEntries, Sandbox } from "../File/Sandbox.ts"
import { attempt, SandboxRefused } from "../File/SandboxRefused.ts"
import { scriptsFolder, type Skill } from "./Skill.ts"
import { Skills } from "./Skills.ts"

/** Beneath it an agent finds the files of all skills. Users' paths are relative, so none of them begins so. */
const skillsRoot = "/skills"

export const pathOfSkill = (name: string): string => `${skillsRoot}/${name}/`

/** What an agent reads: the user's files, and those of skills at `/skills/<name>/`, which no tool changes. */
export interface ReadableFiles extends Pick<Sandbox["Type"], "list" | "read" | "readBytes" | "stat"> {
  /**
   * Uses the file at a path. Where there is none, `references/rates.md` and `skills/<name>/references/rates.md` lead to a
   * skill's file, as its instructions write them; where several skills have one, that is refused with their paths.
   */
  readonly find: <A>(
    path: string,
    use: (path: string) => Effect.Effect<A, SandboxRefused>
  ) => Effect.Effect<Found<A>, SandboxRefused>
}

export interface Found<A> {
  readonly result: A
  readonly path: string
  readonly isOfSkill: boolean
  /** The text for the agent, with a line that says whose file it is; none for the user's. */
  readonly marked: (text: string) => string
}

export const makeReadableFiles = (
  sandbox: Pick<Sandbox["Type"], "list" | "read" | "readBytes" | "stat">,
  skills: Pick<Skills["Type"], "find" | "list">
): ReadableFiles => {
  /** Opens the folder of the path, or the one that contains it. No link is followed. */
  const opened = (path: string, names: ReadonlyArray<string>, skill: Skill) =>
    Effect.gen(function*() {
      const root = yield* attempt(path, () => realpath(dirname(skill.folder)))
      let folder = yield* openDirectory(join(root, basename(skill.folder)), path)
      for (const name of names) folder = yield* openDirectory(folder.at(name), path)
      return folder
    })

  const skillOf = (path: string) =>
    Effect.gen(function*() {
      const [, name = "", ...names] = partsOf(path)
      const isHidden = names.length > maxDepth || names.some((part) => part.startsWith(".") || /[\\\0]/.test(part))
      return isHidden ? yield* missing(path) : { names, skill: yield* skillNamed(name, path) }
    })

  const skillNamed = (name: string, path: string) => Effect.mapError(skills.find(name), () => missing(path))

  const beside = <A>(
    path: string,
    use: (folder: OpenDirectory, name: string) => Effect.Effect<A, SandboxRefused, Scope.Scope>
  ) =>
    Effect.scoped(Effect.gen(function*() {
      const { names, skill } = yield* skillOf(path)
      const folder = yield* opened(path, names.slice(0, -1), skill)
      return yield* use(folder, names.at(-1) ?? ".")
    }))

  const inFile = <A>(path: string, use: (file: OpenFile) => Effect.Effect<A, SandboxRefused>) =>
    beside(path, (folder, name) => Effect.flatMap(openFile(folder, name, constants.O_RDONLY, path), use))

  const listOfSkill = (path: string) =>
    Effect.scoped(Effect.gen(function*() {
      const { names, skill } = yield* skillOf(path)
      const { entries, more } = yield* listFolder(yield* opened(path, names, skill), path, maxEntries)
      return { entries: entries.filter(({ name }) => !name.startsWith(".")), more }
    }))

  const listAll = Effect.map(skills.list, (all) => ({
    entries: all.slice(0, maxEntries).map(folderOf),
    more: all.length > maxEntries
  }))

  const ofSkill = <A>(path: string, use: (path: string) => Effect.Effect<A, SandboxRefused>) =>
    Effect.gen(function*() {
      const [, name] = partsOf(path)
      const mark = name === undefined ? "Folders of skills" : `Of the skill ${(yield* skillNamed(name, path)).name}`
      return { result: yield* use(path), path, isOfSkill: true, marked: markedBy(`[${mark}: ${path}]`) }
    })

  /** The paths of skills that a path may mean which leads to no file of the user. */
  const meant = (path: string) => {
    const relative = partsOf(path).join("/")
    return relative === "skills" || relative.startsWith("skills/")
      ? Effect.succeed([`/${relative}`])
      : Effect.map(
        skills.list,
        (all) => all.filter((skill) => hasFile(skill, relative)).map(({ name }) => pathOfSkill(name) + relative)
      )
  }

  const find: ReadableFiles["find"] = (path, use) =>
    isOfSkill(path) ? ofSkill(path, use) : Effect.catchIf(
      Effect.map(use(path), (result) => ({ result, path, isOfSkill: false, marked: identity })),
      ({ kind }) => kind === "missing",
      (refused) =>
        Effect.flatMap(meant(path), ([first, ...others]) => {
          if (first === undefined) return Effect.fail(refused)
          if (others.length === 0) return Effect.mapError(ofSkill(first, use), () => refused)
          const paths = [first, ...others].slice(0, 10).join(", ")
          return new SandboxRefused({
            path,
            kind: "missing",
            reason: `the user has no such file, and several skills have one. Give the path of one: ${paths}`
          })
        })
    )

  return {
    find,
    list: (userId, path) =>
      !isOfSkill(path) ? sandbox.list(userId, path) : partsOf(path).length === 1 ? listAll : listOfSkill(path),
    read: (userId, path, window) =>
      isOfSkill(path) ? inFile(path, (file) => linesOf(file, window)) : sandbox.read(userId, path, window),
    readBytes: (userId, path, limits) =>
      isOfSkill(path) ? inFile(path, (file) => bytesOf(file, path, limits)) : sandbox.readBytes(userId, path, limits),
    stat: (userId, path) =>
      isOfSkill(path)
        ? beside(path, (folder, name) =>
          Effect.gen(function*() {
            const stats = yield* attempt(path, () => lstat(folder.at(name)))
            yield* onlyRegular(stats, path)
            return { ...entryOf(name, stats), path }
          }))
        : sandbox.stat(userId, path)
  }
}

export const readableFiles: Effect.Effect<ReadableFiles, never, Sandbox | Skills> = Effect.zipWith(
  Sandbox,
  Skills,
  makeReadableFiles
)

/** The line is the last one, unless that would be cut off. */
const markedBy = (line: string) => (text: string): string =>
  text.length + line.length < verbatimChars ? `${text}\n${line}` : `${line}\n${text}`

const maxDepth = 32

const isOfSkill = (path: string): boolean => path === skillsRoot || path.startsWith(`${skillsRoot}/`)

const partsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "" && part !== ".")

const folderOf = ({ name, updatedAt }: Skill): Entry => ({
  name,
  kind: "folder",
  size: 0,
  modified: Math.round(updatedAt)
})

const missing = (path: string) =>
  new SandboxRefused({ path, kind: "missing", reason: "no skill has such a file or folder" })

/** Whether the skill has a file, or a folder, of this path. */
const hasFile = ({ files, scripts }: Skill, path: string): boolean =>
  path !== ""
  && [...files, ...scripts.map((script) => `${scriptsFolder}/${script}`)]
    .some((file) => file === path || file.startsWith(`${path}/`))
