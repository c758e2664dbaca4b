import { Effect, Option, Redacted } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { exists } from "./Account.ts"
import * as Binaries from "./Binaries.ts"
import { passwordFile, user } from "./Cluster.ts"
import type { EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"

export interface Inspection {
  /** The folder holds a database. */
  readonly isCreated: boolean
  /** The address of its server, if the folder names one; it may have ended since. */
  readonly url: Option.Option<Redacted.Redacted>
}

const textOf = (path: string) => Effect.promise(() => readFile(path, "utf8").catch(() => ""))

/** Reads the state of a database folder without starting or changing anything. */
export const inspect = (dataDir: string): Effect.Effect<Inspection, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    yield* Binaries.locate()
    const data = join(dataDir, "cluster")
    const port = Number((yield* textOf(join(data, "postmaster.pid"))).split("\n")[3])
    const password = yield* textOf(join(data, passwordFile))
    const isRunning = Number.isInteger(port) && port > 0 && password !== ""
    return {
      isCreated: yield* exists(data),
      url: isRunning
        ? Option.some(Redacted.make(`postgresql://${user}:${password}@127.0.0.1:${port}/troupe`))
        : Option.none()
    }
  })
