import { Effect } from "effect"
import { lstat, readlink } from "node:fs/promises"
import { dirname, isAbsolute, relative, sep } from "node:path"
import { ancestors } from "./SkillRequirements.ts"

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
export const bound = (bind: "--ro-bind" | "--ro-bind-try", path: string): ReadonlyArray<string> => [
  ...ancestors(dirname(path)).toReversed().flatMap((folder) => folder === "/" ? [] : ["--dir", folder]),
  bind,
  path,
  path
]

export const networkFiles = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates"
]

/** The readable system, with links kept as links: /bin is one on most machines. */
export const system: Effect.Effect<ReadonlyArray<string>> = Effect.map(
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

export const isOfSystem = (path: string): boolean => systemFolders.some((folder) => isWithin(path, folder))

/** Whether a script may be shown the path: it is not visible already, and it contains no hidden folder. */
export const isShowable = (path: string, hidden: ReadonlyArray<string>): boolean =>
  isAbsolute(path) && path !== "/" && !hidden.some((concealed) => isWithin(concealed, path))
  && (!isOfSystem(path) || hidden.some((concealed) => isWithin(path, concealed)))

const isWithin = (path: string, folder: string): boolean => {
  const below = relative(folder, path)
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}
