import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { lstat, realpath } from "node:fs/promises"
import { join, resolve } from "node:path"
import { diskUsage } from "../File/DiskUsage.ts"
import { makeFairSlots } from "../Runtime/FairSlots.ts"
import { Watchdog } from "../Runtime/Process/Watchdog.ts"
import { commandOf, real, type ScriptOptions, type ScriptRequest } from "./ScriptCommands.ts"
import * as Confinement from "./ScriptConfinement.ts"
import { runScript, type ScriptEnd } from "./ScriptProcess.ts"
import { judge, type Judgement, scriptRefusal } from "./ScriptRules.ts"
import { scriptsFolder } from "./Skill.ts"
import { variable } from "./SkillRequirements.ts"

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
    Layer.unwrapEffect(
      Effect.gen(function*() {
        const environment = yield* Effect.configProviderWith(Effect.succeed)
        const path = (yield* variable(environment, "PATH")) ?? ""
        const confinement = yield* Confinement.probe(path)
        const { detail, fix, isUnsafe } = judge(confinement, rules)
        const isRefused = scriptRefusal(confinement, rules) !== null
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

const megabyte = 1024 * 1024

const limits = { outputBytes: megabyte, processes: Confinement.maxProcesses, memoryBytes: 2048 * megabyte }

/** Maximum of a script's temporary files. */
const maxTemporaryBytes = 64 * megabyte
const maxTemporaryFiles = 10_000

const hasTooMuch = (folder: string): Effect.Effect<boolean> =>
  Effect.map(
    diskUsage(folder, maxTemporaryFiles),
    ({ bytes, files }) => bytes > maxTemporaryBytes || files > maxTemporaryFiles
  )

const maxRunning = 8

const make = (options: ScriptOptions, watchdog: Watchdog["Type"]): SkillScripts["Type"] => {
  const { confinement, rules } = options
  const refusal = scriptRefusal(confinement, rules)
  const slots = makeFairSlots<UserId>(maxRunning)

  const run = Effect.fn("SkillScripts.run")(
    function*(request: ScriptRequest) {
      if (refusal !== null) return yield* Effect.fail(refusal)
      const script = yield* locate(request)
      const command = yield* commandOf(options, request, script)
      const isOverfull = Effect.zipWith(
        request.isOverfull,
        hasTooMuch(command.writtenFolder),
        (one, other) => one || other
      )
      return yield* runScript(command, { ...limits, seconds: request.seconds, isOverfull }, watchdog, request.input)
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
