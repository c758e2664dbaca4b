import { error, type Finding, ok, warning } from "@troupe/domain/Finding"
import { Effect } from "effect"
import { constants } from "node:fs"
import { access, stat, statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { probe } from "../Skill/ScriptConfinement.ts"
import { judge, type ScriptRules } from "../Skill/ScriptRules.ts"
import type { Check } from "./Check.ts"

/** As in package.json's `engines`. */
const oldest = [20, 19] as const

/** Whether this Node is new enough. */
export const nodeCheck = (version: string): Check => ({
  name: "node",
  run: Effect.sync(() => {
    const [major = 0, minor = 0] = version.split(".").map(Number)
    const isEnough = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
    return [
      isEnough
        ? ok("node", `Node ${version}`)
        : error("node", `Node ${version} is too old.`, `Install Node ${oldest.join(".")} or newer.`)
    ]
  })
})

/** A folder that the service writes to, and the setting that names it. */
export interface WrittenFolder {
  readonly name: string
  readonly path: string
  readonly setting: string
}

const lowBytes = 1024 ** 3

const succeeds = (work: () => Promise<unknown>): Effect.Effect<boolean> =>
  Effect.promise(() => work().then(() => true, () => false))

/** The folder itself, or the nearest one above that exists. */
const existing = (path: string): Effect.Effect<string> =>
  Effect.flatMap(
    succeeds(() => stat(path)),
    (exists) => exists || dirname(path) === path ? Effect.succeed(path) : Effect.suspend(() => existing(dirname(path)))
  )

const freeBytes = (path: string): Effect.Effect<number> =>
  Effect.promise(() => statfs(path).then(({ bavail, bsize }) => bavail * bsize, () => Infinity))

const folderFinding = ({ name, path, setting }: WrittenFolder): Effect.Effect<Finding> =>
  Effect.gen(function*() {
    const folder = resolve(path)
    const found = yield* existing(folder)
    const isFolder = yield* Effect.promise(() => stat(found).then((it) => it.isDirectory(), () => false))
    const fix = `Give the service's user the right to write there, or set ${setting} to another folder.`
    if (!isFolder) return error(name, `${found} is not a folder.`, `Remove it, or set ${setting} to another folder.`)
    if (!(yield* succeeds(() => access(found, constants.W_OK | constants.X_OK)))) {
      return error(name, `${found} can't be written to.`, fix)
    }
    const free = yield* freeBytes(found)
    const room = Number.isFinite(free) ? `, ${(free / 1024 ** 3).toFixed(1)} GiB free` : ""
    if (free < lowBytes) {
      return warning(name, `${folder}${room}`, `Free some space, or set ${setting} to a folder on a larger disk.`)
    }
    return ok(name, found === folder ? `${folder}${room}` : `${folder} will be created${room}`)
  })

/** Whether the service can write to its folders, and has room there. */
export const folderCheck = (folders: ReadonlyArray<WrittenFolder>): Check => ({
  name: "folders",
  run: Effect.forEach(folders, folderFinding, { concurrency: folders.length })
})

/** What confines the scripts of skills on this machine. */
export const scriptsCheck = ({ path, rules }: { readonly path: string; readonly rules: ScriptRules }): Check => ({
  name: "bubblewrap",
  run: Effect.map(probe(path), (confinement) => {
    const { detail, fix } = judge(confinement, rules)
    return [fix === null ? ok("bubblewrap", detail) : warning("bubblewrap", detail, fix)]
  })
})
