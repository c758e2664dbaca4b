import type { UserId } from "@troupe/domain/Ids"
import { type ConfigProvider, Effect, Option } from "effect"
import { cp, mkdir, realpath, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { type Interpreter, interpreterOf, isReadable } from "./Interpreters.ts"
import { accountOf, giveTo, isOpenToAll, isRoot, type ScriptAccount } from "./ScriptAccount.ts"
import * as Confinement from "./ScriptConfinement.ts"
import { type ScriptCommand, temporaryFolder } from "./ScriptProcess.ts"
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

const usualFolders = ["/usr/local/bin", "/usr/bin", "/bin"]

/** The command line that runs a script; `script` is its real path. Its temporary folder lasts as long as the scope. */
export const commandOf = (options: ScriptOptions, request: ScriptRequest, script: string) =>
  Effect.gen(function*() {
    const { confinement } = options
    const isConfined = confinement._tag === "bubblewrap"
    const hasAccount = isConfined ? confinement.setpriv !== null : confinement.hasOwnAccount
    const account = hasAccount ? accountOf(request.userId) : null
    // In bubblewrap the account sees what the service shows it, else only what all users of the machine can reach.
    const reachesAlone = account !== null && !isConfined
    const path = reachesAlone ? yield* openPath(options.path) : options.path
    const interpreter = yield* Effect.mapError(
      interpreterOf(script, path, reachesAlone ? isOpenToAll : () => Effect.succeed(true)),
      (reason) => reachesAlone ? `${reason}; only programs count that all users of the machine can run` : reason
    )
    // Inside bubblewrap, root has no rights to files of others.
    const owner = account ?? (isConfined && isRoot() ? { uid: 0, gid: 0 } : null)
    if (owner !== null) yield* give(request.folder, owner)
    const original = yield* real(request.skill.folder)
    const isReachable = account === null
      || ((!reachesAlone || (yield* isOpenToAll(original))) && (yield* isReadableToAll(original, script)))
    // Made as late as possible, because the watchdog is told of the temporary folder only when the script starts.
    const temporary = isConfined && isReachable ? null : yield* openFolderFor(account)
    const skill = isReachable || temporary === null ? original : yield* copied(original, join(temporary, "skill"))
    if (temporary !== null && account !== null) yield* give(temporary, account)

    const inside = isConfined || temporary === null
      ? Confinement.inside
      : { skill, temporary: join(temporary, filesFolder) }
    const [program = interpreter.program, ...args] = [
      ...(yield* launcherOf(options, request, { account, interpreter, skill })),
      interpreter.program,
      ...interpreter.args,
      join(inside.skill, scriptsFolder, request.script),
      ...request.args
    ]
    const declared = yield* Effect.forEach(
      request.skill.requirements.env,
      (name) => Effect.map(requirable(options.environment, name), (value) => value === null ? [] : [[name, value]])
    )
    return {
      program,
      args,
      env: {
        LANG: "C.UTF-8",
        ...Object.fromEntries(declared.flat()),
        // A skill can't override what the service sets.
        PATH: isConfined ? [dirname(interpreter.program), ...usualFolders].join(":") : path,
        HOME: inside.temporary,
        TMPDIR: inside.temporary,
        SKILL_DIR: inside.skill
      },
      cwd: isConfined ? "/" : request.folder,
      account: reachesAlone ? account : null,
      launchers: !isConfined ? null : account !== null && confinement.canDisableUserns ? 3 : 2,
      temporaryFolder: temporary
    } satisfies ScriptCommand
  })

/** The words before the interpreter. */
const launcherOf = (
  { confinement, hidden, rules }: ScriptOptions,
  request: ScriptRequest,
  { account, interpreter, skill }: {
    readonly account: ScriptAccount | null
    readonly interpreter: Interpreter
    readonly skill: string
  }
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function*() {
    if (confinement._tag === "none") return []
    if (confinement._tag === "limits") {
      const { prlimit, setpriv } = confinement
      return [
        ...(setpriv === null ? [] : [yield* real(setpriv), "--pdeathsig", "KILL", "--"]),
        ...Confinement.limited(yield* real(prlimit), request, account !== null)
      ]
    }
    const above = request.skill.requirements.node.length === 0 ? [] : ancestors(dirname(request.skill.folder))
    const packages = yield* Effect.findFirst(above.map((place) => join(place, "node_modules")), isReadable)
    const isolation = yield* Confinement.argumentsOf(confinement, account, {
      work: yield* real(request.folder),
      skill,
      shown: interpreter.needs,
      packages: Option.getOrNull(packages),
      hidden,
      network: rules.network
    })
    return [confinement.bwrap, ...isolation, ...Confinement.limited(confinement.prlimit, request, true)]
  })

const give = (folder: string, account: ScriptAccount) =>
  Effect.mapError(giveTo(account, folder), ({ reason }) => `its files could not be given to its system user: ${reason}`)

/** The folders of a PATH that every user of the machine may enter, and the usual ones. */
const openPath = (path: string): Effect.Effect<string> =>
  Effect.map(
    Effect.filter(path.split(delimiter).filter((folder) => folder !== ""), isOpenToAll),
    (folders) => [...new Set([...folders, ...usualFolders])].join(delimiter)
  )

const filesFolder = "files"

/** A temporary folder that the account can reach, with a folder for its files. */
const openFolderFor = (account: ScriptAccount | null) =>
  Effect.gen(function*() {
    const isUsual = account === null || (yield* isOpenToAll(tmpdir()))
    const folder = yield* temporaryFolder(isUsual ? tmpdir() : "/tmp")
    yield* Effect.orDie(Effect.tryPromise(() => mkdir(join(folder, filesFolder))))
    return folder
  })

/** Whether the modes of the script and of its skill's folder let everybody read them. */
const isReadableToAll = (folder: string, script: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => Promise.all([stat(folder), stat(script)])).pipe(
    Effect.map(([{ mode }, file]) => (mode & 0o005) === 0o005 && (file.mode & 0o004) !== 0),
    Effect.orElseSucceed(() => false)
  )

/** Copies a skill that the account can't read where it is, such as one in root's home. */
const copied = (folder: string, copy: string) =>
  Effect.tryPromise(() => cp(folder, copy, { recursive: true, verbatimSymlinks: true })).pipe(
    Effect.mapBoth({
      onFailure: () => "its skill could not be copied to where its system user can read it",
      onSuccess: () => copy
    })
  )

export const real = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => realpath(path)), () => path)
