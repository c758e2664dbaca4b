import { Effect } from "effect"
import { lstat, readlink } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"
import { outputOf, whereIs } from "./Programs.ts"

/** What a machine has to keep a script within bounds. */
export type Confinement =
  /** A world of its own, in which there is the system to read and one folder to write. */
  | ({ readonly _tag: "bubblewrap"; readonly bwrap: string; readonly prlimit: string } & Abilities)
  /** Bounds on what it uses, and none on what it reads or where it connects. */
  | { readonly _tag: "limits"; readonly prlimit: string; readonly setpriv: string | null }
  /** Its time and its output alone. */
  | { readonly _tag: "none" }

/** What only newer versions of bubblewrap can do. */
export interface Abilities {
  /** Give a folder in memory a size (0.7). */
  readonly canSize: boolean
  /** Forbid user namespaces inside (0.8), in which a script would reach more of the kernel. */
  readonly canDisableUserns: boolean
}

/** A script's own limits, which the kernel keeps for each of its processes. */
export interface ProcessLimits {
  readonly memoryBytes: number
  readonly fileBytes: number
  readonly seconds: number
  readonly processes: number
}

const openFiles = 1024

/** Most bytes of a folder in memory. */
export const memoryFolderBytes = 64 * 1024 * 1024

const memoryFolder = (path: string, canSize: boolean): ReadonlyArray<string> => [
  ...(canSize ? ["--size", String(memoryFolderBytes)] : []),
  "--tmpfs",
  path
]

/** The walls that work here: bubblewrap may be installed and yet not allowed, as in most containers. */
export const probe = (path: string): Effect.Effect<Confinement> =>
  Effect.gen(function*() {
    const prlimit = yield* whereIs("prlimit", path)
    if (prlimit === null) return { _tag: "none" }
    const bwrap = yield* whereIs("bwrap", path)
    const truth = yield* whereIs("true", path)
    if (bwrap !== null && truth !== null) {
      const begin = [...walls({ network: false, canDisableUserns: false }), ...yield* system]
      const works = (args: ReadonlyArray<string>) =>
        Effect.map(outputOf(bwrap, [...begin, ...args, "--", truth], path), (output) => output !== null)
      const canSize = yield* works(memoryFolder(inside.temporary, true))
      if (canSize || (yield* works([]))) {
        return { _tag: "bubblewrap", bwrap, prlimit, canSize, canDisableUserns: yield* works([disableUserns]) }
      }
    }
    return { _tag: "limits", prlimit, setpriv: yield* whereIs("setpriv", path) }
  })

/** How a program is started under the kernel's limits. */
export const limited = (prlimit: string, limits: ProcessLimits, everyProcess: boolean): ReadonlyArray<string> => [
  prlimit,
  `--data=${limits.memoryBytes}`,
  `--fsize=${limits.fileBytes}`,
  `--cpu=${limits.seconds}`,
  `--nofile=${openFiles}`,
  "--core=0",
  // Counts all that the user runs, who outside of a world of its own is the service's.
  ...(everyProcess ? [`--nproc=${limits.processes}`] : []),
  "--"
]

/** Where the two folders stand in the script's world. */
export const inside = { work: "/work", skill: "/skill", temporary: "/tmp" }

export interface World extends Abilities {
  /** The user's folder: where the script works and all it can write. */
  readonly work: string
  readonly skill: string
  /** Also to be read, at the same place. */
  readonly shown: ReadonlyArray<string>
  /** Node packages that the skill finds above its own folder. */
  readonly packages: string | null
  /** Never to be seen, wherever they stand: the users' files, the database, the service's own folder. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
}

const disableUserns = "--disable-userns"

const walls = ({ canDisableUserns, network }: Pick<World, "canDisableUserns" | "network">): ReadonlyArray<string> => [
  "--unshare-user",
  ...(canDisableUserns ? [disableUserns] : []),
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(network ? [] : ["--unshare-net"]),
  "--uid",
  "1000",
  "--gid",
  "1000",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
  "--new-session"
]

/** The arguments of bubblewrap up to the program. */
export const worldOf = (world: World): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(system, (readOnly) => [
    ...walls(world),
    ...readOnly,
    ...(world.network ? networkFiles.flatMap((path) => ["--ro-bind-try", path, path]) : []),
    ...world.hidden.filter(isOfSystem).flatMap((path) => memoryFolder(path, world.canSize)),
    ...world.shown.filter((path) => isShowable(path, world)).flatMap((path) => ["--ro-bind-try", path, path]),
    ...(world.packages === null ? [] : ["--ro-bind", world.packages, "/node_modules"]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
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
    "--"
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

const networkFiles = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates"
]

/** The system to be read, links as links: /bin is one on most machines. */
const system: Effect.Effect<ReadonlyArray<string>> = Effect.map(
  Effect.forEach(systemFolders, (path) =>
    Effect.tryPromise(() => lstat(path)).pipe(
      Effect.flatMap((found) =>
        found.isSymbolicLink()
          ? Effect.map(Effect.tryPromise(() => readlink(path)), (target) => ["--symlink", target, path])
          : Effect.succeed(["--ro-bind", path, path])
      ),
      Effect.orElseSucceed(() => [])
    )),
  (folders) => [...folders.flat(), ...systemFiles.flatMap((path) => ["--ro-bind-try", path, path])]
)

const isOfSystem = (path: string): boolean => systemFolders.some((folder) => isWithin(path, folder))

/** Not what is there already, nor what would open up something hidden: a folder above it, or the whole disk. */
const isShowable = (path: string, { hidden }: World): boolean =>
  isAbsolute(path) && path !== "/" && !hidden.some((secret) => isWithin(secret, path))
  && (!isOfSystem(path) || hidden.some((secret) => isWithin(path, secret)))

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const nestedUserns = "They can create user namespaces of their own, through which they reach more of the kernel: "
  + "install bubblewrap 0.8 or later, not setuid, to forbid it."

/** In words, for the health page. */
export const describe = (confinement: Confinement, network: boolean): string => {
  switch (confinement._tag) {
    case "bubblewrap":
      return `Skill scripts run in bubblewrap: they see the system and one user's files, and ${
        network ? "reach the network" : "no network"
      }.${confinement.canDisableUserns ? "" : ` ${nestedUserns}`}`
    case "limits":
      return "Skill scripts run under limits of time, memory and size only, as the service's own user, and can read what that "
        + "user can: install bubblewrap, and let it make user namespaces, to keep them from other files, from the "
        + "service and from the network."
    case "none":
      return "Skill scripts run under limits of time and output only, as the service's own user, and can read what that user "
        + "can: run the service on Linux with util-linux and "
        + "bubblewrap to confine them."
  }
}

/** A path in the script's world for one outside of it. */
export const scriptInside = (script: string): string => join(inside.skill, "scripts", script)
