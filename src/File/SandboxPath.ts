import { fileNameOf } from "@troupe/domain/FileName"
import type { UserId } from "@troupe/domain/Ids"
import { Effect, Either, type Scope } from "effect"
import { mkdir, readdir, realpath } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"
import type { DirectoryOpener, OpenDirectory } from "./OpenDirectory.ts"
import { alreadyThere, attempt, SandboxRefused } from "./SandboxRefused.ts"

export const maxDepth = 32
const maxLength = 2_048

/** The names of a relative path that does not lead out, none for the user's folder itself. Links are not resolved. */
export const namesOf = (path: string): Effect.Effect<ReadonlyArray<string>, SandboxRefused> => {
  const refused = (reason: string) => new SandboxRefused({ path, kind: "name", reason })
  if (path.length > maxLength) return refused(`a path must not be longer than ${maxLength} characters`)
  if (/^(?:\/|\\|[A-Za-z]:)/.test(path)) {
    return refused("the path must be relative to the user's folder, such as notes/plan.md")
  }
  const names: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part === "..") {
      if (names.pop() === undefined) return refused("the path leads out of the user's folder")
      continue
    }
    const name = fileNameOf(part)
    if (Either.isLeft(name)) return refused(name.left)
    names.push(name.right)
  }
  return names.length > maxDepth ? refused(`at most ${maxDepth} folders may be nested`) : Effect.succeed(names)
}

/** The path of something in a user's folder, without links: one name a folder, none for the user's folder itself. */
export type RealNames = ReadonlyArray<string>

export interface Place {
  readonly folder: OpenDirectory
  readonly name: string
  readonly names: RealNames
}

export interface UserFolder {
  readonly location: string
  /**
   * Follows links as long as they stay inside; the names that it returns are no links. A name may be spelled plainly.
   */
  readonly locate: (path: string) => Effect.Effect<RealNames, SandboxRefused>
  /** Opens the folder of these names step by step, following no link, whatever happened since they were located. */
  readonly open: (names: RealNames, path: string) => Effect.Effect<OpenDirectory, SandboxRefused, Scope.Scope>
  readonly place: (path: string) => Effect.Effect<Place, SandboxRefused, Scope.Scope>
}

export const makeUserFolder = (root: string, userId: UserId, openDirectory: DirectoryOpener): UserFolder => {
  const location = join(root, userId)

  const locate = (path: string) =>
    Effect.flatMap(namesOf(path), (names) => {
      const search = located(location, names, path, true)
      return Effect.catchIf(
        search,
        ({ kind }) => kind === "missing",
        () => Effect.zipRight(made(location, path), search)
      )
    })

  const open = (names: RealNames, path: string) =>
    Effect.gen(function*() {
      let folder = yield* openDirectory(location, path)
      for (const name of names) folder = yield* openDirectory(folder.at(name), path)
      return folder
    })

  const place = (path: string) =>
    Effect.gen(function*() {
      yield* made(location, path)
      const names = yield* namesOf(path)
      const found = yield* longest(location, names, path)
      const missing = names.slice(found.count)
      const last = missing.pop() ?? found.real.at(-1)
      if (last === undefined) return yield* new SandboxRefused({ path, kind: "unsafe", reason: "it is a folder" })
      const existing = found.count === names.length ? found.real.slice(0, -1) : found.real
      let folder = yield* open(existing, path)
      for (const name of missing) {
        yield* attempt(path, () => mkdir(folder.at(name))).pipe(
          Effect.catchIf((refused) => refused.reason === alreadyThere, () => Effect.void)
        )
        folder = yield* openDirectory(folder.at(name), path)
      }
      return { folder, name: last, names: [...existing, ...missing, last] }
    })

  return { location, locate, open, place }
}

/**
 * Finds a name in a folder by how it is stored: in another form of Unicode, or, if `plain`, with other spaces, quotes or
 * dashes, which people and models don't tell apart (macOS has a narrow space in the names of screenshots).
 */
const located = (
  home: string,
  names: ReadonlyArray<string>,
  path: string,
  plain: boolean
): Effect.Effect<RealNames, SandboxRefused> =>
  Effect.catchIf(
    real(home, join(home, ...names), path),
    (refused) => refused.kind === "missing" && names.some((name) => plain || isComposable(name)),
    (missing) =>
      Effect.gen(function*() {
        const name = names.at(-1) ?? ""
        const folder = yield* located(home, names.slice(0, -1), path, plain)
        const siblings = yield* attempt(path, () => readdir(join(home, ...folder)))
        const same = siblings.find((sibling) => sibling.normalize("NFC") === name)
        const alike = same !== undefined || !plain
          ? []
          : siblings.filter((sibling) => plainName(sibling) === plainName(name))
        const spelled = same ?? alike[0]
        if (alike.length > 1) return yield* ambiguous(path, alike)
        return spelled === undefined ? yield* missing : yield* real(home, join(home, ...folder, spelled), path)
      })
  )

const isComposable = (name: string): boolean => /[^\0-\x7F]/.test(name)

const plainName = (name: string): string =>
  name.normalize("NFC")
    .replace(/[\u00AD\u200B\u200C\u2060\uFEFF]/g, "")
    .replace(/\p{Zs}/gu, " ")
    .replace(/[\u2018-\u201B\u02BC\u2032\u00B4`]/g, "'")
    .replace(/[\u201C-\u201F\u2033]/g, "\"")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll("\u2026", "...")

const ambiguous = (path: string, names: ReadonlyArray<string>): SandboxRefused => {
  const escaped = names.slice(0, maxAlike).map((name) =>
    JSON.stringify(name).replace(
      /[^\p{L}\p{M}\p{N}\0-\x7F]/gu,
      (sign) =>
        [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
    )
  )
  const more = names.length > maxAlike ? ` and ${names.length - maxAlike} more` : ""
  return new SandboxRefused({
    path,
    kind: "missing",
    reason: `no name is exactly this, and ${names.length} look like it: ${escaped.join(", ")}${more}. Use one of them`
  })
}

const maxAlike = 10

const real = (home: string, location: string, path: string): Effect.Effect<RealNames, SandboxRefused> =>
  Effect.flatMap(attempt(path, () => realpath(location)), (found) => {
    const way = relative(home, found)
    return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)
      ? new SandboxRefused({ path, kind: "unsafe", reason: "it leads out of the user's folder" })
      : Effect.succeed(way.split(sep).filter((name) => name !== ""))
  })

const longest = (
  home: string,
  names: ReadonlyArray<string>,
  path: string,
  count: number = names.length
): Effect.Effect<{ readonly count: number; readonly real: RealNames }, SandboxRefused> =>
  located(home, names.slice(0, count), path, false).pipe(
    Effect.map((real) => ({ count, real })),
    Effect.catchIf((refused) => refused.kind === "missing" && count > 0, () => longest(home, names, path, count - 1))
  )

/** Of the users of the machine, only the service's own may enter it. */
const made = (location: string, path: string) => attempt(path, () => mkdir(location, { recursive: true, mode: 0o700 }))
