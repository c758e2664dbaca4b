import { Effect, type Scope } from "effect"
import { chmod, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** An empty folder that is gone after the test. Processes of other accounts, such as PostgreSQL's, can enter it. */
export const freshFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "troupe-test-")))
    await chmod(folder, 0o711)
    return folder
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
)
