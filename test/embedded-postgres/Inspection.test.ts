import { assert, it } from "@effect/vitest"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { inspect } from "@troupe/embedded-postgres/Inspection"
import { Effect, Option } from "effect"
import { freshFolder } from "../support/PostgresFolder.ts"

it.scopedLive(
  "An inspection finds a running server and a stopped one, and changes nothing",
  () =>
    Effect.gen(function*() {
      const dataDir = yield* freshFolder
      assert.deepStrictEqual(yield* inspect(dataDir), { isCreated: false, url: Option.none() })
      yield* Effect.scoped(Effect.gen(function*() {
        const url = yield* EmbeddedPostgres.start({ dataDir, durable: false })
        assert.deepStrictEqual(yield* inspect(dataDir), { isCreated: true, url: Option.some(url) })
      }))
      assert.deepStrictEqual(yield* inspect(dataDir), { isCreated: true, url: Option.none() })
    }),
  60_000
)
