import type { UserId } from "@troupe/domain/Ids"
import { type ConfigProvider, Context, Effect, Layer, Option } from "effect"
import { lstat, realpath } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { diskUsage } from "../File/DiskUsage.ts"
import { makeFairSlots } from "../Runtime/FairSlots.ts"
import { Watchdog } from "../Runtime/Watchdog.ts"
import { type Interpreter, interpreterOf, isReadable } from "./Programs.ts"
import * as Confinement from "./ScriptConfinement.ts"
import { removeStaleFolders, runScript, type ScriptCommand, type ScriptEnd, temporaryFolder } from "./ScriptProcess.ts"
import { judge, type Judgement, refusalOf, type ScriptRules } from "./ScriptRules.ts"
import { scriptsFolder, type Skill } from "./Skill.ts"
import { ancestors, requirable, variable } from "./SkillRequirements.ts"

export interface ScriptRequest {
  readonly skill: Skill
  /** One of the skill's `scripts`. */
  readonly script: string
  readonly args: ReadonlyArray<string>
  readonly userId: UserId
  /** The user's folder, in which the script works. */
  readonly folder: string
  readonly seconds: number
  /** Maximum size of a file that it writes. */
  readonly fileBytes: number
  /** Whether the folder is beyond its limit; checked while the script runs, and ends it. */
  readonly isOverfull: Effect.Effect<boolean>
}

/**
 * Runs scripts of skills, as confined as the machine allows. Of the environment they get what their skill requires, and
 * never a setting or secret of the service.
 */
export class SkillScripts extends Context.Tag("troupe/Skill/SkillScripts")<SkillScripts, {
  /** What the confinement that works here means. */
  readonly judgement: Judgement
  /** Returns when none of the script's processes is left, however it ended; fails with why it was not started. */
  readonly run: (request: ScriptRequest) => Effect.Effect<ScriptEnd, string>
}>() {
  static readonly layer = ({ hidden, rules }: Pick<ScriptOptions, "hidden" | "rules">): Layer.Layer<SkillScripts> =>
    Layer.unwrapScoped(
      Effect.gen(function*() {
        yield* Effect.forkScoped(removeStaleFolders)
        const environment = yield* Effect.configProviderWith(Effect.succeed)
        const path = (yield* variable(environment, "PATH")) ?? ""
        const confinement = yield* Confinement.probe(path)
        const { detail, fix, isUnsafe } = judge(confinement, rules)
        const isRefused = refusalOf(confinement, rules) !== null
        yield* Effect.when(Effect.logWarning(`${detail} ${fix ?? ""}`), () => isUnsafe || isRefused)
        return SkillScripts.layerOf({
          confinement,
          environment,
          path,
          rules,
          hidden: yield* Effect.forEach([...hidden, resolve(".")], real)
        })
      })
    ).pipe(Layer.provide(Watchdog.layer))

  static readonly layerOf = (options: ScriptOptions): Layer.Layer<SkillScripts, never, Watchdog> =>
    Layer.effect(this, Effect.map(Watchdog, (watchdog) => make(options, watchdog)))
}

export interface ScriptOptions {
  readonly confinement: Confinement.Confinement
  readonly environment: ConfigProvider.ConfigProvider
  readonly path: string
  readonly rules: ScriptRules
  /** Folders that no script sees, except for its user's. */
  readonly hidden: ReadonlyArray<string>
}

const megabyte = 1024 * 1024

const limits = { outputBytes: megabyte, processes: 128, memoryBytes: 2048 * megabyte }

/** Maximum of a script's temporary files; under bubblewrap they are in memory and their folders have this size. */
const maxTemporaryBytes = Confinement.memoryFolderBytes
const maxTemporaryFiles = 10_000

const hasTooMuch = (folder: string): Effect.Effect<boolean> =>
  Effect.map(
    diskUsage(folder, maxTemporaryFiles),
    ({ bytes, files }) => bytes > maxTemporaryBytes || files > maxTemporaryFiles
  )

const processMemory = 1024 * megabyte

const maxRunning = 8

const make = (options: ScriptOptions, watchdog: Watchdog["Type"]): SkillScripts["Type"] => {
  const { confinement, rules } = options
  const refusal = refusalOf(confinement, rules)
  const slots = makeFairSlots<UserId>(maxRunning)

  const run = Effect.fn("SkillScripts.run")(
    function*(request: ScriptRequest) {
      if (refusal !== null) return yield* Effect.fail(refusal)
      const script = yield* locate(request)
      const interpreter = yield* interpreterOf(script, options.path)
      const command = yield* commandOf(options, request, script, interpreter)
      const isOverfull = command.temporaryFolder === null
        ? request.isOverfull
        : Effect.zipWith(request.isOverfull, hasTooMuch(command.temporaryFolder), (one, other) => one || other)
      return yield* runScript(command, { ...limits, seconds: request.seconds, isOverfull }, watchdog)
    },
    Effect.scoped,
    (run, { userId }) => slots.withSlot(userId)(run)
  )

  return SkillScripts.of({ judgement: judge(confinement, rules), run })
}

/** The script's real path: neither it nor a folder on the way may be a link. */
const locate = ({ script, skill }: ScriptRequest): Effect.Effect<string, string> =>
  Effect.gen(function*() {
    const unknown = Effect.fail(`the skill ${skill.name} has no script ${JSON.stringify(script)}`)
    if (!skill.scripts.includes(script)) return yield* unknown
    const folder = yield* Effect.mapError(Effect.tryPromise(() => realpath(skill.folder)), () => "the skill is gone")
    const wanted = join(folder, scriptsFolder, script)
    const isThere = yield* Effect.tryPromise(() => realpath(wanted)).pipe(
      Effect.flatMap((found) =>
        Effect.map(Effect.tryPromise(() => lstat(found)), (stats) => stats.isFile() && found === wanted)
      ),
      Effect.orElseSucceed(() => false)
    )
    return isThere ? wanted : yield* unknown
  })

const commandOf = (options: ScriptOptions, request: ScriptRequest, script: string, interpreter: Interpreter) =>
  Effect.gen(function*() {
    const { confinement, environment } = options
    const declared = yield* Effect.forEach(
      request.skill.requirements.env,
      (name) => Effect.map(requirable(environment, name), (value) => value === null ? [] : [[name, value] as const])
    )
    const kept = {
      memoryBytes: processMemory,
      fileBytes: request.fileBytes,
      seconds: request.seconds + 5,
      processes: limits.processes
    }
    const given = Object.fromEntries(declared.flat())
    const before = [interpreter.program, ...interpreter.args]
    if (confinement._tag === "bubblewrap") {
      const world = yield* Confinement.worldOf(yield* worldOf(options, request, interpreter, confinement))
      const limited = Confinement.limited(confinement.prlimit, kept, true)
      const { skill, temporary } = Confinement.inside
      return {
        program: confinement.bwrap,
        args: [...world, ...limited, ...before, join(skill, scriptsFolder, request.script), ...request.args],
        env: environmentOf(given, `${dirname(interpreter.program)}:/usr/local/bin:/usr/bin:/bin`, temporary, skill),
        cwd: "/",
        temporaryFolder: null
      } satisfies ScriptCommand
    }
    const temporary = yield* temporaryFolder
    const words = confinement._tag === "none" ? [] : [
      ...(confinement.setpriv === null ? [] : [confinement.setpriv, "--pdeathsig", "KILL", "--"]),
      ...Confinement.limited(confinement.prlimit, kept, false)
    ]
    const [program = interpreter.program, ...args] = [...words, ...before, script, ...request.args]
    return {
      program,
      args,
      env: environmentOf(given, options.path, temporary, request.skill.folder),
      cwd: request.folder,
      temporaryFolder: temporary
    } satisfies ScriptCommand
  })

/** A skill can't override what the service sets. */
const environmentOf = (declared: Readonly<Record<string, string>>, path: string, temporary: string, skill: string) => ({
  LANG: "C.UTF-8",
  ...declared,
  PATH: path,
  HOME: temporary,
  TMPDIR: temporary,
  SKILL_DIR: skill
})

const worldOf = (
  options: ScriptOptions,
  { folder, skill }: ScriptRequest,
  interpreter: Interpreter,
  { canDisableUserns, canSize }: Confinement.Confinement & { readonly _tag: "bubblewrap" }
) =>
  Effect.gen(function*() {
    const above = skill.requirements.node.length === 0 ? [] : ancestors(dirname(skill.folder))
    const packages = yield* Effect.findFirst(above.map((place) => join(place, "node_modules")), isReadable)
    return {
      work: yield* real(folder),
      skill: yield* real(skill.folder),
      shown: interpreter.needs,
      packages: Option.getOrNull(packages),
      hidden: options.hidden,
      network: options.rules.network,
      canDisableUserns,
      canSize
    } satisfies Confinement.World
  })

const real = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => realpath(path)), () => path)
