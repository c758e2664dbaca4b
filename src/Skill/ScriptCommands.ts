import type { UserId } from "@troupe/domain/Ids"
import { type ConfigProvider, Effect, Option } from "effect"
import { cp, mkdir, mkdtemp, realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { removeFolder } from "../File/FileChanges.ts"
import { interpreterOf, isReadable } from "./Interpreters.ts"
import { accountOf, giveTo, isOpenToAll, isRoot, type ScriptAccount } from "./ScriptAccount.ts"
import * as Confinement from "./ScriptConfinement.ts"
import type { ScriptCommand } from "./ScriptProcess.ts"
import type { ScriptRules } from "./ScriptRules.ts"
import { scriptsFolder, type Skill } from "./Skill.ts"
import { ancestors, requirable } from "./SkillRequirements.ts"

export interface ScriptRequest {
  readonly skill: Skill
  /** One of the skill's `scripts`. */
  readonly script: string
  readonly args: ReadonlyArray<string>
  /** Its standard input, which is closed without it. */
  readonly input?: string
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

/**
 * The command line that runs a script; `script` is its real path. Its temporary folder lasts as long as the scope. Where the
 * service is root, the script is not.
 */
export const commandOf = (options: ScriptOptions, request: ScriptRequest, script: string) =>
  Effect.gen(function*() {
    const { confinement } = options
    const account = isRoot() ? accountOf(request.userId) : null
    // In bubblewrap the account sees what the service shows it, else only what all users of the machine can reach.
    const reachesAlone = account !== null && confinement === null
    const path = reachesAlone ? yield* openPath(options.path) : options.path
    const interpreter = yield* Effect.mapError(
      interpreterOf(script, path, reachesAlone ? isOpenToAll : () => Effect.succeed(true)),
      (reason) => reachesAlone ? `${reason}; only programs count that all users of the machine can run` : reason
    )
    if (account !== null) yield* give(request.folder, account)
    const original = yield* real(request.skill.folder)
    // Made as late as possible, because the watchdog is told of the temporary folder only when the script starts.
    const temporary = yield* temporaryFolder(account)
    const skill = account === null ? original : yield* copied(original, join(temporary.root, "skill"))
    if (account !== null) yield* give(temporary.root, account)

    const inside = confinement === null ? { skill, temporary: temporary.files } : Confinement.inside
    const launcher = confinement === null ? [] : yield* Confinement.launcherOf(confinement, account, {
      work: yield* real(request.folder),
      skill,
      temporary: temporary.files,
      sharedMemory: temporary.sharedMemory,
      shown: interpreter.needs,
      packages: yield* packagesOf(request.skill),
      hidden: options.hidden,
      network: options.rules.network
    }, request)
    const [program = interpreter.program, ...args] = [
      ...launcher,
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
        PATH: confinement === null ? path : [dirname(interpreter.program), ...usualFolders].join(":"),
        HOME: inside.temporary,
        TMPDIR: inside.temporary,
        SKILL_DIR: inside.skill
      },
      cwd: confinement === null ? request.folder : "/",
      account: reachesAlone ? account : null,
      launchers: confinement === null ? null : account !== null && confinement.canDisableUserns ? 3 : 2,
      temporaryFolder: temporary.root,
      writtenFolder: temporary.written
    } satisfies ScriptCommand
  })

/** The folder of Node packages above a skill that requires some. */
const packagesOf = ({ folder, requirements }: Skill): Effect.Effect<string | null> => {
  const above = requirements.node.length === 0 ? [] : ancestors(dirname(folder))
  return Effect.map(
    Effect.findFirst(above.map((place) => join(place, "node_modules")), isReadable),
    Option.getOrNull
  )
}

const give = (folder: string, account: ScriptAccount) =>
  Effect.mapError(giveTo(account, folder), ({ reason }) => `its files could not be given to its system user: ${reason}`)

/** The folders of a PATH that every user of the machine may enter, and the usual ones. */
const openPath = (path: string): Effect.Effect<string> =>
  Effect.map(
    Effect.filter(path.split(delimiter).filter((folder) => folder !== ""), isOpenToAll),
    (folders) => [...new Set([...folders, ...usualFolders])].join(delimiter)
  )

/** A temporary folder with one for what a script writes; removed at the end of the scope. */
const temporaryFolder = (account: ScriptAccount | null) =>
  Effect.gen(function*() {
    const parent = account === null || (yield* isOpenToAll(tmpdir())) ? tmpdir() : "/tmp"
    const root = yield* Effect.acquireRelease(
      Effect.orDie(Effect.tryPromise(() => mkdtemp(join(parent, "troupe-script-")))),
      (folder) =>
        Effect.catchAllCause(removeFolder(folder), (cause) =>
          Effect.logWarning(`Deleting a script's temporary folder failed; delete ${folder}`, cause))
    )
    const written = join(root, "written")
    const [files, sharedMemory] = [join(written, "files"), join(written, "memory")]
    for (const folder of [written, files, sharedMemory]) {
      yield* Effect.orDie(Effect.tryPromise(() =>
        mkdir(folder)
      ))
    }
    return { root, written, files, sharedMemory }
  })

/** Copies a skill, because its system user may not be able to read it where it is, such as in root's home. */
const copied = (folder: string, copy: string) =>
  Effect.tryPromise(() => cp(folder, copy, { recursive: true, verbatimSymlinks: true })).pipe(
    Effect.mapBoth({
      onFailure: () => "its skill could not be copied to where its system user can read it",
      onSuccess: () => copy
    })
  )

export const real = (path: string): Effect.Effect<string> =>
  Effect.orElseSucceed(Effect.tryPromise(() => realpath(path)), () => path)
