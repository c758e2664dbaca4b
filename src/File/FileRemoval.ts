import { Effect, type Scope } from "effect"
import { lstat, readdir, unlink } from "node:fs/promises"
import type { Home } from "./Home.ts"
import { namesOf } from "./SandboxPath.ts"
import { attempt, SandboxRefused } from "./SandboxRefused.ts"

/** Deletes what the path names itself: a link in the last place is not followed. */
export const removeFile = (home: Home, path: string): Effect.Effect<void, SandboxRefused, Scope.Scope> =>
  Effect.gen(function*() {
    const names = yield* namesOf(path)
    const name = names.at(-1)
    const isFolder = new SandboxRefused({ path, kind: "unsafe", reason: "it is a folder, not a file" })
    if (name === undefined) return yield* isFolder
    const folder = yield* home.open(yield* home.locate(names.slice(0, -1).join("/")), path)
    const siblings = yield* attempt(path, () => readdir(folder.at(".")))
    const spelled = siblings.includes(name) ? name : siblings.find((one) => one.normalize("NFC") === name) ?? name
    const stats = yield* attempt(path, () => lstat(folder.at(spelled)))
    if (stats.isDirectory()) return yield* isFolder
    yield* folder.verify
    yield* attempt(path, () => unlink(folder.at(spelled)))
    yield* folder.sync
  })
