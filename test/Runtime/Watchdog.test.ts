import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Watchdog } from "../../src/Runtime/Process/Watchdog.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { linux } from "../support/Need.ts"
import { until } from "../support/Processes.ts"

it.scopedLive.skipIf(linux.isMissing)(
  linux.named("A process whose start nobody lived to report is terminated by its variable, and its folder is removed"),
  () =>
    Effect.gen(function*() {
      const folder = join(yield* freshFolder, "temporary")
      yield* Effect.promise(() => mkdir(folder))
      const scope = yield* Scope.make()
      const watchdog = Context.get(yield* Layer.buildWithScope(Watchdog.layer, scope), Watchdog)
      const id = `test-${process.pid}`
      watchdog.guard(id, { group: null, variable: `TROUPE_PROCESS=${id}`, folder })
      const child = spawn("/bin/sh", ["-c", "sleep 60"], { detached: true, env: { TROUPE_PROCESS: id } })
      const ended = Effect.promise(() => once(child, "exit"))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* ended, [null, "SIGKILL"])
      yield* until("its folder is removed", Effect.sync(() => !existsSync(folder)))
    })
)
