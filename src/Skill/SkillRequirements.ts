import type { SkillRequirements as Needs } from "@troupe/domain/Skill"
import { Config, type ConfigProvider, Context, Duration, Effect, Layer } from "effect"
import { isBuiltin } from "node:module"
import { platform } from "node:os"
import { dirname, join } from "node:path"
import { makeExpiringCache } from "../Runtime/Cache.ts"
import { isSettingName } from "../Runtime/Settings/SettingsCatalogue.ts"
import { isReadable, outputOf, whereIs } from "./Interpreters.ts"

/** Which requirements of skills this machine does not meet. Answers are cached for a minute. */
export class SkillRequirements extends Context.Tag("troupe/Skill/SkillRequirements")<SkillRequirements, {
  /** The requirements that are not met. `folder` is the skill's. */
  readonly missing: (skill: { readonly folder: string; readonly requirements: Needs }) => Effect.Effect<Needs>
}>() {
  /** Checks the environment of the process. A check takes five seconds at most, and no two of one program run at once. */
  static readonly layer: Layer.Layer<SkillRequirements> = Layer.effect(
    this,
    Effect.gen(function*() {
      const environment = yield* Effect.configProviderWith(Effect.succeed)
      const path = yield* variable(environment, "PATH")
      const cache = makeExpiringCache({
        capacity: 2_000,
        timeToLive,
        lookup: (key: string) => {
          const [kind, name = "", folder = ""] = key.split("\0")
          if (kind === "bins") return Effect.map(whereIs(name, path ?? ""), (found) => found !== null)
          if (kind === "env") return Effect.map(requirable(environment, name), (value) => value !== null)
          return kind === "python" ? isPython(name, path ?? "") : isNode(name, folder)
        }
      })
      const lacking = (kind: keyof Needs, names: ReadonlyArray<string>, folder = "") =>
        Effect.filter(names, (name) => Effect.map(cache.get([kind, name, folder].join("\0")), (met) => !met), {
          concurrency: 4
        })
      return SkillRequirements.of({
        missing: Effect.fn("SkillRequirements.missing")(({ folder, requirements }) =>
          Effect.all({
            bins: lacking("bins", requirements.bins),
            env: lacking("env", requirements.env),
            python: lacking("python", requirements.python),
            node: lacking("node", requirements.node, folder),
            platform: Effect.succeed(
              requirements.platform.length === 0 || requirements.platform.some(isHere) ? [] : requirements.platform
            )
          })
        )
      })
    })
  )
}

export const isMet = (missing: Needs): boolean => Object.values(missing).every((items) => items.length === 0)

const timeToLive = Duration.minutes(1)

/** A variable of the process, as it was started. */
export const variable = (environment: ConfigProvider.ConfigProvider, name: string): Effect.Effect<string | null> =>
  Effect.orElseSucceed(environment.load(Config.string(name)), () => null)

/** A variable that a skill may require and its script gets: no setting or secret of the service, nor one that controls programs. */
export const requirable = (environment: ConfigProvider.ConfigProvider, name: string): Effect.Effect<string | null> =>
  isOwn(name.toUpperCase())
    ? Effect.succeed(null)
    : Effect.map(variable(environment, name), (value) => (value ?? "").trim() === "" ? null : value)

/** In upper case, as Windows ignores the case of names. */
const isOwn = (name: string): boolean => isSettingName(name) || /^(?:TROUPE|NODE|LD|NPM)_/.test(name)

/** By the name of the package or of its module. Nothing of it is run, as it would be to find a dotted name. */
const pythonProbe = `import sys, importlib.util, importlib.metadata as m
name = sys.argv[1]
try:
    m.distribution(name)
except m.PackageNotFoundError:
    sys.exit(0 if importlib.util.find_spec(name.replace("-", "_")) else 1)`

const isPython = (requirement: string, path: string): Effect.Effect<boolean> => {
  const name = /^[A-Za-z0-9][\w-]*/.exec(requirement)?.[0]
  if (name === undefined) return Effect.succeed(false)
  return Effect.exists(
    ["python3", "python"],
    (program) => Effect.map(outputOf(program, ["-c", pythonProbe, name], path), (output) => output !== null)
  )
}

/** Where Node looks from the skill's folder upwards; nothing of the package is loaded. */
const isNode = (requirement: string, folder: string): Effect.Effect<boolean> => {
  const name = /^(?:@[\w.-]+\/)?[a-z\d_][\w.-]*/i.exec(requirement.replace(/^node:/, ""))?.[0]
  if (name === undefined) return Effect.succeed(false)
  if (isBuiltin(name)) return Effect.succeed(true)
  return Effect.exists(ancestors(folder), (place) => isReadable(join(place, "node_modules", name, "package.json")))
}

export const ancestors = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...ancestors(parent)]
}

const names: Readonly<Record<string, string>> = { macos: "darwin", osx: "darwin", mac: "darwin", windows: "win32" }

const isHere = (wanted: string): boolean => {
  const name = wanted.toLowerCase()
  return name === "any" || (names[name] ?? name) === platform()
}
