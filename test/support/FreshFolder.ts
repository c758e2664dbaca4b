import { Effect, type Scope } from "effect"
import { chmod, mkdtemp, readFile, realpath, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const inMemory = "/dev/shm"

const neededBytes = 4 * 2 ** 30

/** A database has five hundred files: on some disks its creation takes forty times as long as in memory. */
const parent = async (): Promise<string> => {
  const mounts = await readFile("/proc/mounts", "utf8").catch(() => "")
  const mount = mounts.split("\n").map((line) => line.split(" ")).findLast(([, path]) => path === inMemory)
  const options = mount?.[3]?.split(",") ?? []
  // Tests run programs from there.
  if (!options.includes("rw") || options.includes("noexec")) return tmpdir()
  const { bavail, bsize } = await statfs(inMemory)
  return bavail * bsize >= neededBytes ? inMemory : tmpdir()
}

/**
 * An empty folder that is gone after the test, in memory where there is room. Processes of other accounts, such as
 * PostgreSQL's, can enter it.
 */
export const freshFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await realpath(await mkdtemp(join(await parent(), "troupe-test-")))
    await chmod(folder, 0o711)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
)
