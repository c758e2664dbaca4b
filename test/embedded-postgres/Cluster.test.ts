import { assert, it } from "@effect/vitest"
import { inspect } from "@troupe/embedded-postgres/Cluster"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Effect, Option } from "effect"
import { freshFolder } from "../support/FreshFolder.ts"

it.scopedLive("An inspection finds a running server and a stopped one, and changes nothing", () =>
  Effect.gen(function*() {
    const dataDir = yield* freshFolder
    assert.deepStrictEqual(yield* inspect(dataDir), { isCreated: false, url: Option.none() })
    yield* Effect.scoped(Effect.gen(function*() {
      const url = yield* EmbeddedPostgres.start({ dataDir, durable: false })
      assert.deepStrictEqual(yield* inspect(dataDir), { isCreated: true, url: Option.some(url) })
    }))
    assert.deepStrictEqual(yield* inspect(dataDir), { isCreated: true, url: Option.none() })
  }))
