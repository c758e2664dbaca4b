import type { UserId } from "@troupe/domain/Ids"
import { type ConfigProvider, Effect, Option } from "effect"
import { cp, realpath, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { interpreterOf, isReadable } from "./Interpreters.ts"
import { accountOf, giveTo, isOpenToAll, isRoot, type ScriptAccount } from "./ScriptAccount.ts"
import * as Confinement from "./ScriptConfinement.ts"
import { type ScriptCommand, temporaryFolder, temporaryParents } from "./ScriptProcess.ts"
import type { ScriptRules } from "./ScriptRules.ts"
import { scriptsFolder, type Skill } from "./Skill.ts"
import { ancestors, requirable } from "./SkillRequirements.ts"

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

export interface ScriptOptions {
  readonly confinement: Confinement.Confinement
  readonly environment: ConfigProvider.ConfigProvider
  readonly path: string
  readonly rules: ScriptRules
  /** Folders that no script sees, except for its user's. */
  readonly hidden: ReadonlyArray<string>
}

export const maxProcesses = 128

const processMemory = 1024 ** 3

const usualFolders = ["/usr/local/bin", "/usr/bin", "/bin"]

const limitsOf = ({ fileBytes, seconds }: ScriptRequest): Confinement.ProcessLimits => ({
  memoryBytes: processMemory,
  fileBytes,
  seconds: seconds + 5,
  processes: maxProcesses
})

/** The command line that runs a script; `script` is its real path. */
export const commandOf = (options: ScriptOptions, request: ScriptRequest, script: string) =>
  Effect.gen(function*() {
    const { confinement, environment } = options
    const declared = yield* Effect.forEach(
      request.skill.requirements.env,
      (name) => Effect.map(requirable(environment, name), (value) => value === null ? [] : [[name, value] as const])
    )
    const given = Object.fromEntries(declared.flat())
    return yield* confinement._tag === "bubblewrap"
      ? confined(confinement, options, request, script, given)
      : unconfined(confinement, options, request, script, given)
  })

const confined = (
  confinement: Extract<Confinement.Confinement, { readonly _tag: "bubblewrap" }>,
  options: ScriptOptions,
  request: ScriptRequest,
  script: string,
  given: Variables
) =>
  Effect.gen(function*() {
    const interpreter = yield* interpreterOf(script, options.path, () => Effect.succeed(true))
    const { bwrap, prlimit, setpriv } = confinement
    const account = accountOf(request.userId)
    const loss = setpriv === null ? null : { account, bwrap, setpriv }
    // Inside, root has no rights to files of others.
    if (isRoot()) yield* give(request.folder, loss === null ? { uid: 0, gid: 0 } : account)
    const shown = [...interpreter.needs, bwrap, prlimit, ...(setpriv === null ? [] : [setpriv])]
    const { canDisableUserns } = confinement
    const folder = yield* real(request.skill.folder)
    const skill = loss === null || (yield* isReadableToAll(folder, script))
      ? folder
      : yield* copyFor(account, folder, temporaryFolder(yield* firstParent))
    const world = yield* Confinement.worldOf(
      yield* worldOf(options, request, confinement, { loss, shown, skill })
    )
    const limited = Confinement.limited(prlimit, limitsOf(request), true)
    const { inside } = Confinement
    const words = [...world, ...limited, interpreter.program, ...interpreter.args]
    return {
      program: bwrap,
      args: [...words, join(inside.skill, scriptsFolder, request.script), ...request.args],
      env: environmentOf(
        given,
        [dirname(interpreter.program), ...usualFolders].join(":"),
        inside.temporary,
        inside.skill
      ),
      cwd: "/",
      launchers: Confinement.launchersOf({ canDisableUserns, loss }),
      temporaryFolder: null
    } satisfies ScriptCommand
  })

const unconfined = (
  confinement: Exclude<Confinement.Confinement, { readonly _tag: "bubblewrap" }>,
  options: ScriptOptions,
  request: ScriptRequest,
  script: string,
  given: Variables
) =>
  Effect.gen(function*() {
    const account = confinement.hasOwnAccount ? accountOf(request.userId) : null
    const path = account === null ? options.path : yield* openPath(options.path)
    const usable = account === null ? () => Effect.succeed(true) : isOpenToAll
    const interpreter = yield* Effect.mapError(
      interpreterOf(script, path, usable),
      (reason) => account === null ? reason : `${reason}; only programs count that all users of the machine can run`
    )
    const inParent = temporaryFolder(account === null ? tmpdir() : yield* firstParent)
    const temporary = yield* inParent
    const { folder } = request.skill
    const isReadable = account === null || ((yield* isOpenToAll(folder)) && (yield* isReadableToAll(folder, script)))
    const skill = isReadable ? folder : yield* copyFor(account, folder, inParent)
    if (account !== null) {
      yield* give(temporary, account)
      yield* give(request.folder, account)
    }
    const words = confinement._tag === "none" ? [] : [
      ...(confinement.setpriv === null ? [] : [yield* real(confinement.setpriv), "--pdeathsig", "KILL", "--"]),
      ...Confinement.limited(yield* real(confinement.prlimit), limitsOf(request), account !== null)
    ]
    const [program = interpreter.program, ...args] = [
      ...words,
      interpreter.program,
      ...interpreter.args,
      skill === request.skill.folder ? script : join(skill, scriptsFolder, request.script),
      ...request.args
    ]
    return {
      program,
      args,
      env: environmentOf(given, path, temporary, skill),
      cwd: request.folder,
      account,
      temporaryFolder: temporary
    } satisfies ScriptCommand
  })

const give = (folder: string, account: ScriptAccount) =>
  Effect.mapError(giveTo(account, folder), ({ reason }) => `its files could not be given to its system user: ${reason}`)

/** The folders of a PATH that every user of the machine may enter, and the usual ones. */
const openPath = (path: string): Effect.Effect<string> =>
  Effect.map(
    Effect.filter(path.split(delimiter).filter((folder) => folder !== ""), isOpenToAll),
    (folders) => [...new Set([...folders, ...usualFolders])].join(delimiter)
  )

const firstParent = Effect.map(
  Effect.findFirst(temporaryParents, isOpenToAll),
  (found) => Option.getOrElse(found, () => "/tmp")
)

/** Whether the modes of the script and of its skill's folder let everybody read them. */
const isReadableToAll = (folder: string, script: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => Promise.all([stat(folder), stat(script)])).pipe(
    Effect.map(([{ mode }, file]) => (mode & 0o005) === 0o005 && (file.mode & 0o004) !== 0),
    Effect.orElseSucceed(() => false)
  )

/** A copy of a skill that the account can't read where it is, such as one in root's home. */
const copyFor = <R>(account: ScriptAccount, folder: string, inParent: Effect.Effect<string, never, R>) =>
  Effect.gen(function*() {
    const copy = yield* inParent
    yield* Effect.mapError(
      Effect.tryPromise(() => cp(folder, copy, { recursive: true, verbatimSymlinks: true })),
      () => "its skill could not be copied to where its system user can read it"
    )
    yield* give(copy, account)
    return copy
  })

type Variables = Readonly<Record<string, string>>

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
  { canDisableUserns, canSize }: Confinement.Abilities,
  rest: Pick<Confinement.World, "loss" | "shown" | "skill">
) =>
  Effect.gen(function*() {
    const above = skill.requirements.node.length === 0 ? [] : ancestors(dirname(skill.folder))
    const packages = yield* Effect.findFirst(above.map((place) => join(place, "node_modules")), isReadable)
    return {
      work: yield* real(folder),
      ...rest,
      packages: Option.getOrNull(packages),
      hidden: options.hidden,
      network: options.rules.network,
      canDisableUserns,
      canSize
    } satisfies Confinement.World
  })

export const real = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => realpath(path)), () => path)
