import { Effect, Option } from "effect"
import { outputOf, whereIs } from "./Interpreters.ts"
import { isRoot, probeAccount, type ScriptAccount } from "./ScriptAccount.ts"
import { bound, isOfSystem, isShowable, networkFiles, system } from "./SystemMounts.ts"

/** Own namespaces: the system is readable, one folder is writable. */
export interface Bubblewrap {
  readonly bwrap: string
  readonly prlimit: string
  /** Where the service is root: gives up its identity inside, since no limit of processes holds for root. */
  readonly setpriv: string | null
  /** Forbids user namespaces inside (0.8), which would expose more of the kernel to a script. */
  readonly canDisableUserns: boolean
}

/** Null where bubblewrap does not work: files and the network are open. */
export type Confinement = Bubblewrap | null

export const maxProcesses = 128

/** Bubblewrap, if it works here: it may be installed but not permitted, as in most containers. */
export const probe = (path: string): Effect.Effect<Confinement> =>
  Effect.gen(function*() {
    const { bwrap, prlimit, setpriv, trueProgram } = yield* Effect.all({
      bwrap: whereIs("bwrap", path),
      prlimit: whereIs("prlimit", path),
      setpriv: isRoot() ? whereIs("setpriv", path) : Effect.succeed(null),
      trueProgram: whereIs("true", path)
    })
    if (bwrap === null || prlimit === null || trueProgram === null || (isRoot() && setpriv === null)) return null
    const readOnly = yield* system
    const works = (bubblewrap: Bubblewrap) =>
      // Containers often allow the namespaces, and forbid a /proc of one's own.
      Effect.map(
        outputOf(bwrap, [
          ...isolation(bubblewrap, false),
          ...readOnly,
          ...devices,
          ...emptyFolder(inside.temporary),
          "--",
          ...identityChange(bubblewrap, probeAccount),
          trueProgram
        ], path),
        (output) => output !== null
      )
    const candidates = [true, false].map((canDisableUserns) => ({ bwrap, prlimit, setpriv, canDisableUserns }))
    return Option.getOrNull(yield* Effect.findFirst(candidates, works))
  })

/** Limits that the kernel enforces for each process of a script. */
const limited = (prlimit: string, { fileBytes, seconds }: KernelLimits): ReadonlyArray<string> => [
  prlimit,
  `--data=${1024 ** 3}`,
  `--fsize=${fileBytes}`,
  `--cpu=${seconds + 5}`,
  "--nofile=1024",
  "--core=0",
  `--nproc=${maxProcesses}`,
  "--"
]

interface KernelLimits {
  readonly fileBytes: number
  readonly seconds: number
}

export const inside = { work: "/work", skill: "/skill", temporary: "/tmp" }

/** What a script sees in bubblewrap, besides the system. */
export interface View {
  /** The user's folder: the working directory, and the only writable one. */
  readonly work: string
  readonly skill: string
  /** Writable too: for temporary files and for shared memory. */
  readonly temporary: string
  readonly sharedMemory: string
  /** Readable besides, at the same path. */
  readonly shown: ReadonlyArray<string>
  /** Node packages that the skill finds above its own folder. */
  readonly packages: string | null
  /** Never visible: the users' files, the database, the service's own folder. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
}

const devices = ["--proc", "/proc", "--dev", "/dev"]

const emptyFolder = (path: string): ReadonlyArray<string> => ["--tmpfs", path, "--remount-ro", path]

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

/** The words before the program, which runs as `account` and sees the view. */
export const launcherOf = (
  bubblewrap: Bubblewrap,
  account: ScriptAccount | null,
  view: View,
  limits: KernelLimits
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(system, (readOnly) => {
    const { bwrap, prlimit, setpriv } = bubblewrap
    const shown = [...view.shown, bwrap, prlimit, ...(setpriv === null ? [] : [setpriv])].filter((path) =>
      isShowable(path, view.hidden)
    )
    return [
      bwrap,
      ...isolation(bubblewrap, view.network),
      ...readOnly,
      ...(view.network ? networkFiles.flatMap((path) => bound("--ro-bind-try", path)) : []),
      ...view.hidden.filter(isOfSystem).flatMap(emptyFolder),
      ...shown.flatMap((path) => bound("--ro-bind-try", path)),
      ...(view.packages === null ? [] : ["--ro-bind", view.packages, "/node_modules"]),
      ...devices,
      "--bind",
      view.sharedMemory,
      "/dev/shm",
      "--remount-ro",
      "/dev",
      "--bind",
      view.temporary,
      inside.temporary,
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
      ...identityChange(bubblewrap, account),
      ...limited(prlimit, limits)
    ]
  })
