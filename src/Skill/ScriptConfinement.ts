import { Effect, Option } from "effect"
import { outputOf, whereIs } from "./Interpreters.ts"
import { isRoot, probeAccount, type ScriptAccount } from "./ScriptAccount.ts"
import { bound, isOfSystem, isShowable, networkFiles, system } from "./SystemMounts.ts"

export type Confinement = Bubblewrap | Unconfined

/** Own namespaces: the system is readable, one folder is writable. */
export interface Bubblewrap {
  readonly _tag: "bubblewrap"
  readonly bwrap: string
  readonly prlimit: string
  /** Where the service is root: gives up its identity inside, since no limit of processes holds for root. */
  readonly setpriv: string | null
  /** Limits the size of a folder in memory (0.7). */
  readonly canSize: boolean
  /** Forbids user namespaces inside (0.8), which would expose more of the kernel to a script. */
  readonly canDisableUserns: boolean
}

/** Limits on resources, or on time and output only; files and the network are open. */
export type Unconfined =
  & (
    | { readonly _tag: "limits"; readonly prlimit: string; readonly setpriv: string | null }
    | { readonly _tag: "none" }
  )
  & {
    /** Where the service is root, scripts run as a system user without rights, a different one for each user. */
    readonly hasOwnAccount: boolean
  }

export const maxProcesses = 128

export const memoryFolderBytes = 64 * 1024 * 1024

const memoryFolder = (path: string, canSize: boolean): ReadonlyArray<string> => [
  ...(canSize ? ["--perms", "1777", "--size", String(memoryFolderBytes)] : []),
  "--tmpfs",
  path
]

/** Of versions from 0.8 on, of those that are setuid or of 0.7, and of older ones. */
const abilities = [
  { canSize: true, canDisableUserns: true },
  { canSize: true, canDisableUserns: false },
  { canSize: false, canDisableUserns: false }
]

/** The confinement that works here: bubblewrap may be installed but not permitted, as in most containers. */
export const probe = (path: string): Effect.Effect<Confinement> =>
  Effect.gen(function*() {
    const prlimit = yield* whereIs("prlimit", path)
    if (prlimit === null) return { _tag: "none", hasOwnAccount: isRoot() }
    const bwrap = yield* whereIs("bwrap", path)
    const trueProgram = yield* whereIs("true", path)
    const setpriv = yield* whereIs("setpriv", path)
    const unconfined: Unconfined = { _tag: "limits", prlimit, setpriv, hasOwnAccount: isRoot() }
    if (bwrap === null || trueProgram === null) return unconfined
    const readOnly = yield* system
    const works = (bubblewrap: Bubblewrap) =>
      // Containers often allow the namespaces, and forbid a /proc of one's own.
      Effect.map(
        outputOf(bwrap, [
          ...isolation(bubblewrap, false),
          ...readOnly,
          ...devices,
          ...memoryFolder(inside.temporary, bubblewrap.canSize),
          "--",
          ...identityChange(bubblewrap, probeAccount),
          trueProgram
        ], path),
        (output) => output !== null
      )
    const candidates = (isRoot() && setpriv !== null ? [setpriv, null] : [null]).flatMap((setpriv) =>
      abilities.map((can): Bubblewrap => ({ _tag: "bubblewrap", bwrap, prlimit, setpriv, ...can }))
      // A folder in memory without a size belongs to root, and a script without root's identity could not write /tmp.
    ).filter(({ canSize, setpriv }) => setpriv === null || canSize)
    return Option.getOrElse(yield* Effect.findFirst(candidates, works), () => unconfined)
  })

/** Limits that the kernel enforces for each process of a script. */
export const limited = (
  prlimit: string,
  { fileBytes, seconds }: { readonly fileBytes: number; readonly seconds: number },
  isOwnUser: boolean
): ReadonlyArray<string> => [
  prlimit,
  `--data=${1024 ** 3}`,
  `--fsize=${fileBytes}`,
  `--cpu=${seconds + 5}`,
  "--nofile=1024",
  "--core=0",
  // Counts all processes of the system user, which must not be the service's own.
  ...(isOwnUser ? [`--nproc=${maxProcesses}`] : []),
  "--"
]

export const inside = { work: "/work", skill: "/skill", temporary: "/tmp" }

/** What a script sees in bubblewrap, besides the system. */
export interface View {
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
}

const devices = ["--proc", "/proc", "--dev", "/dev"]

const userNamespace = (canDisableUserns: boolean): ReadonlyArray<string> => [
  "--unshare-user",
  ...(canDisableUserns ? ["--disable-userns"] : []),
  "--uid",
  "1000",
  "--gid",
  "1000"
]

/** What it takes to enter the user's folder and to become its owner; the change of identity takes them away. */
const identityCapabilities = ["CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"]

const isolation = ({ canDisableUserns, setpriv }: Bubblewrap, network: boolean): ReadonlyArray<string> => [
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...(network ? [] : ["--unshare-net"]),
  "--cap-drop",
  "ALL",
  ...(setpriv === null
    ? userNamespace(canDisableUserns)
    : identityCapabilities.flatMap((name) => ["--cap-add", name])),
  "--die-with-parent",
  "--new-session"
]

/** Runs a program without root's identity; a second bubblewrap forbids it user namespaces of its own. */
const identityChange = (
  { bwrap, canDisableUserns, setpriv }: Bubblewrap,
  account: ScriptAccount | null
): ReadonlyArray<string> =>
  setpriv === null || account === null ? [] : [
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

/** The arguments of bubblewrap before the program, which runs as `account`. */
export const argumentsOf = (
  bubblewrap: Bubblewrap,
  account: ScriptAccount | null,
  view: View
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(system, (readOnly) => {
    const programs = [
      bubblewrap.bwrap,
      bubblewrap.prlimit,
      ...(bubblewrap.setpriv === null ? [] : [bubblewrap.setpriv])
    ]
    const shown = [...view.shown, ...programs].filter((path) => isShowable(path, view.hidden))
    return [
      ...isolation(bubblewrap, view.network),
      ...readOnly,
      ...(view.network ? networkFiles.flatMap((path) => bound("--ro-bind-try", path)) : []),
      ...view.hidden.filter(isOfSystem).flatMap((path) => memoryFolder(path, bubblewrap.canSize)),
      ...shown.flatMap((path) => bound("--ro-bind-try", path)),
      ...(view.packages === null ? [] : ["--ro-bind", view.packages, "/node_modules"]),
      ...devices,
      ...memoryFolder("/dev/shm", bubblewrap.canSize),
      "--remount-ro",
      "/dev",
      ...memoryFolder(inside.temporary, bubblewrap.canSize),
      "--bind",
      view.work,
      inside.work,
      "--ro-bind",
      view.skill,
      inside.skill,
      "--remount-ro",
      "/",
      "--chdir",
      inside.work,
      "--",
      ...identityChange(bubblewrap, account)
    ]
  })
