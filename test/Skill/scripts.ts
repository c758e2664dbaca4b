import { UserId } from "@troupe/domain/Ids"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { join } from "node:path"
import { env } from "node:process"
import { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import { isRoot } from "../../src/Skill/ScriptAccount.ts"
import type { ScriptOptions, ScriptRequest } from "../../src/Skill/ScriptCommands.ts"
import type { Bubblewrap, Confinement } from "../../src/Skill/ScriptConfinement.ts"
import type { ScriptEnd } from "../../src/Skill/ScriptProcess.ts"
import type { ScriptRules } from "../../src/Skill/ScriptRules.ts"
import { SkillScripts } from "../../src/Skill/SkillScripts.ts"
import { need } from "../support/Need.ts"
import { makePlace } from "./place.ts"

/** What this machine has, the best first: each way is tried wherever it is there. */
export const here = env["PATH"] ?? ""

const find = (name: string) => here.split(":").map((folder) => join(folder, name)).find((path) => fs.existsSync(path))
const [bwrap, prlimit, setpriv] = [find("bwrap"), find("prlimit"), find("setpriv")]
const isolated = ["--unshare-all", "--ro-bind", "/", "/", "true"]
const alone = ["--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"]

const confined: Bubblewrap | null =
  bwrap !== undefined && prlimit !== undefined && spawnSync(bwrap, isolated).status === 0
    ? {
      bwrap,
      prlimit,
      setpriv: isRoot() ? setpriv ?? null : null,
      canDisableUserns: spawnSync(bwrap, alone).status === 0
    }
    : null

export const confinements: ReadonlyArray<Confinement> = confined === null ? [null] : [confined, null]

export const nameOf = (confinement: Confinement): string => confinement === null ? "no confinement" : "bubblewrap"

export const bubblewrap = need("bubblewrap and prlimit", confined !== null)

export const selfHosted: ScriptRules = { isHosted: false, allowUnconfined: false, network: false }

/** A skill with scripts, the folder of a user, and that of another beside it. */
export const makeFixture = (scripts: Readonly<Record<string, string>>, rest = "") =>
  Effect.gen(function*() {
    const place = yield* makePlace()
    // Another system user, with limits of its own, for each test that runs at the same time.
    const userId = UserId.make(randomUUID())
    place.put("custom/tools/SKILL.md", `---\nname: tools\ndescription: Tools.\n${rest}---\n\nUse them.\n`)
    for (const [name, text] of Object.entries(scripts)) place.put(`custom/tools/scripts/${name}`, text)
    place.put("files/alice/own.txt", "alice's")
    place.put("files/bob/secret.txt", "bob's secret")
    const skill = yield* Effect.flatMap(place.skills, (skills) => Effect.orDie(skills.find("tools")))
    const folder = join(place.base, "files", "alice")
    const run = (options: Partial<ScriptOptions>, request: Partial<ScriptRequest> = {}) =>
      Layer.build(
        SkillScripts.layerOf({
          confinement: null,
          environment: ConfigProvider.fromMap(new Map([["SECRET", "s3cret"], ["WANTED", "given"]])),
          path: here,
          rules: selfHosted,
          hidden: [join(place.base, "files")],
          ...options
        }).pipe(Layer.provide(Watchdog.layer))
      ).pipe(
        Effect.flatMap((context) =>
          Context.get(context, SkillScripts).run({
            skill,
            script: Object.keys(scripts)[0] ?? "",
            args: [],
            userId,
            folder,
            seconds: 30,
            fileBytes: 1_000_000,
            isOverfull: Effect.succeed(false),
            ...request
          })
        )
      )
    return { ...place, userId, skill, folder, run }
  })

/** A folder for a PATH with what a script needs, and without bubblewrap. */
export const pathWithout = (folder: string): string => {
  fs.mkdirSync(folder, { recursive: true })
  for (const name of ["sh", "sleep", "setsid"]) {
    const found = find(name)
    if (found !== undefined) fs.symlinkSync(found, join(folder, name))
  }
  return folder
}

/** Standard output of a script that ended well. */
export const printed = ({ errors, code, output }: ScriptEnd): string =>
  code === 0 ? output.trim() : `failed: ${code} ${errors}`

/** Process ids in whose command line the word stands. */
export const withWord = (word: string): ReadonlyArray<string> =>
  fs.readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false
    try {
      return fs.readFileSync(`/proc/${name}/cmdline`, "utf8").includes(word)
    } catch {
      return false
    }
  })
