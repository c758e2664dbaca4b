import { Effect } from "effect"
import { lstat, readlink } from "node:fs/promises"
import { dirname, isAbsolute, relative, sep } from "node:path"
import { outputOf, whereIs } from "./Interpreters.ts"
import { isRoot, probeAccount, type ScriptAccount } from "./ScriptAccount.ts"
import { ancestors } from "./SkillRequirements.ts"

export type Confinement =
  /** Own namespaces: the system is readable, one folder is writable. */
  | ({
    readonly _tag: "bubblewrap"
    readonly bwrap: string
    readonly prlimit: string
    /** Where the service is root: gives up its identity inside, since no limit of processes holds for root. */
    readonly setpriv: string | null
  } & Abilities)
  /** Limits on resources; files and the network are open. */
  | ({ readonly _tag: "limits"; readonly prlimit: string; readonly setpriv: string | null } & Unconfined)
  /** Limits on time and output only. */
  | ({ readonly _tag: "none" } & Unconfined)

export interface Unconfined {
  /** Where the service is root, scripts run as a system user without rights, a different one for each user. */
  readonly hasOwnAccount: boolean
}

export interface Abilities {
  /** Limits the size of a folder in memory (0.7). */
  readonly canSize: boolean
  /** Forbids user namespaces inside (0.8), which would expose more of the kernel to a script. */
  readonly canDisableUserns: boolean
}

/** Limits that the kernel enforces for each process of a script. */
export interface ProcessLimits {
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly seconds: number
  readonly processes: number
}

const openFiles = 1024

export const memoryFolderBytes = 64 * 1024 * 1024

const memoryFolder = (path: string, canSize: boolean): ReadonlyArray<string> => [
  ...(canSize ? ["--perms", "1777", "--size", String(memoryFolderBytes)] : []),
  "--tmpfs",
  path
]

/** The confinement that works here: bubblewrap may be installed but not permitted, as in most containers. */
export const probe = (path: string): Effect.Effect<Confinement> =>
  Effect.gen(function*() {
    const prlimit = yield* whereIs("prlimit", path)
    if (prlimit === null) return { _tag: "none", hasOwnAccount: isRoot() }
    const bwrap = yield* whereIs("bwrap", path)
    const trueProgram = yield* whereIs("true", path)
    const setpriv = yield* whereIs("setpriv", path)
    if (bwrap !== null && trueProgram !== null) {
      const readOnly = yield* system
      const works = (loss: RootLoss | null, { canDisableUserns, canSize }: Abilities) => {
        const world = isolation({ loss, network: false, canDisableUserns })
        // Containers often allow the namespaces, and forbid a /proc of one's own.
        const args = [...world, ...readOnly, ...devices, ...memoryFolder(inside.temporary, canSize), "--"]
        const words = [...args, ...(loss === null ? [] : losing(loss, canDisableUserns)), trueProgram]
        return Effect.map(outputOf(bwrap, words, path), (output) => output !== null)
      }
      const loss = setpriv !== null && isRoot() ? { bwrap, setpriv, account: probeAccount } : null
      const least = { canSize: false, canDisableUserns: false }
      const found = loss !== null && (yield* works(loss, { ...least, canSize: true })) ? loss : null
      const canSize = yield* works(found, { ...least, canSize: true })
      if (canSize || (yield* works(found, least))) {
        const canDisableUserns = yield* works(found, { canSize, canDisableUserns: true })
        return { _tag: "bubblewrap", bwrap, prlimit, setpriv: found?.setpriv ?? null, canSize, canDisableUserns }
      }
    }
    return { _tag: "limits", prlimit, setpriv, hasOwnAccount: isRoot() }
  })

export const limited = (prlimit: string, limits: ProcessLimits, everyProcess: boolean): ReadonlyArray<string> => [
  prlimit,
  `--data=${limits.memoryBytes}`,
  `--fsize=${limits.fileBytes}`,
  `--cpu=${limits.seconds}`,
  `--nofile=${openFiles}`,
  "--core=0",
  // Counts all processes of the system user, which must not be the service's own.
  ...(everyProcess ? [`--nproc=${limits.processes}`] : []),
  "--"
]

export const inside = { work: "/work", skill: "/skill", temporary: "/tmp" }

export interface World extends Abilities {
  /** The user's folder: the working directory, and the only writable one. */
  readonly work: string
  readonly skill: string
  /** Readable besides, at the same path. */
  readonly shown: ReadonlyArray<string>
  /** Node packages that the skill finds above its own folder. */
  readonly packages: string | null
  /** Never visible: the users' files, the database, the service's own folder. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
  readonly loss: RootLoss | null
}

const devices = ["--proc", "/proc", "--dev", "/dev"]

const disableUserns = "--disable-userns"

const userNamespace = (canDisableUserns: boolean): ReadonlyArray<string> => [
  "--unshare-user",
  ...(canDisableUserns ? [disableUserns] : []),
  "--uid",
  "1000",
  "--gid",
  "1000"
]

/** What it takes to enter the user's folder and to become its owner; the change of identity takes them away. */
const lossCapabilities = ["CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"]

const isolation = (
  { canDisableUserns, loss, network }: Pick<World, "canDisableUserns" | "loss" | "network">
): ReadonlyArray<string> => [
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(network ? [] : ["--unshare-net"]),
  "--cap-drop",
  "ALL",
  ...(loss === null
    ? userNamespace(canDisableUserns)
    : lossCapabilities.flatMap((name) => ["--cap-add", name])),
  "--die-with-parent",
  "--new-session"
]

/** How a service that is root gives up its identity inside. */
export interface RootLoss {
  readonly setpriv: string
  readonly bwrap: string
  readonly account: ScriptAccount
}

/** What runs a program without root's identity; a second bubblewrap forbids it user namespaces of its own. */
const losing = ({ account, bwrap, setpriv }: RootLoss, canDisableUserns: boolean): ReadonlyArray<string> => [
  setpriv,
  `--reuid=${account.uid}`,
  `--regid=${account.gid}`,
  "--clear-groups",
  "--inh-caps=-all",
  "--",
  ...(canDisableUserns
    ? [bwrap, ...userNamespace(true), "--cap-drop", "ALL", "--die-with-parent", "--dev-bind", "/", "/", "--"]
    : [])
]

/** Processes of bubblewrap around a script. */
export const launchersOf = ({ canDisableUserns, loss }: Pick<World, "canDisableUserns" | "loss">): number =>
  loss !== null && canDisableUserns ? 3 : 2

export const worldOf = (world: World): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(system, (readOnly) => [
    ...isolation(world),
    ...readOnly,
    ...(world.network ? networkFiles.flatMap((path) => bound("--ro-bind-try", path)) : []),
    ...world.hidden.filter(isOfSystem).flatMap((path) => memoryFolder(path, world.canSize)),
    ...world.shown.filter((path) => isShowable(path, world)).flatMap((path) => bound("--ro-bind-try", path)),
    ...(world.packages === null ? [] : ["--ro-bind", world.packages, "/node_modules"]),
    ...devices,
    ...memoryFolder("/dev/shm", world.canSize),
    "--remount-ro",
    "/dev",
    ...memoryFolder(inside.temporary, world.canSize),
    "--bind",
    world.work,
    inside.work,
    "--ro-bind",
    world.skill,
    inside.skill,
    "--remount-ro",
    "/",
    "--chdir",
    inside.work,
    "--",
    ...(world.loss === null ? [] : losing(world.loss, world.canDisableUserns))
  ])

const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"]

const systemFiles = [
  "/etc/alternatives",
  "/etc/fonts",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types"
]

/** Shows a path at the same place. By default bubblewrap lets only root enter the folders above. */
const bound = (bind: "--ro-bind" | "--ro-bind-try", path: string): ReadonlyArray<string> => [
  ...ancestors(dirname(path)).toReversed().flatMap((folder) => folder === "/" ? [] : ["--dir", folder]),
  bind,
  path,
  path
]

const networkFiles = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates"
]

/** The readable system, with links kept as links: /bin is one on most machines. */
const system: Effect.Effect<ReadonlyArray<string>> = Effect.map(
  Effect.forEach(systemFolders, (path) =>
    Effect.tryPromise(() => lstat(path)).pipe(
      Effect.flatMap((found) =>
        found.isSymbolicLink()
          ? Effect.map(Effect.tryPromise(() => readlink(path)), (target) => ["--symlink", target, path])
          : Effect.succeed(bound("--ro-bind", path))
      ),
      Effect.orElseSucceed(() => [])
    )),
  (folders) => [...folders.flat(), ...systemFiles.flatMap((path) => bound("--ro-bind-try", path))]
)

const isOfSystem = (path: string): boolean => systemFolders.some((folder) => isWithin(path, folder))

/** Neither what is visible already, nor what contains something hidden. */
const isShowable = (path: string, { hidden }: World): boolean =>
  isAbsolute(path) && path !== "/" && !hidden.some((concealed) => isWithin(concealed, path))
  && (!isOfSystem(path) || hidden.some((concealed) => isWithin(path, concealed)))

const isWithin = (path: string, folder: string): boolean => {
  const below = relative(folder, path)
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}
