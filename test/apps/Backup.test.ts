import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { join } from "node:path"
import { backupTo } from "../../src/apps/backup.ts"
import { planUpgrade } from "../../src/apps/upgrade.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { freshDatabase } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"
import { makePgBouncer, pgBouncerNeed } from "../support/PgBouncer.ts"

const given = (settings: Readonly<Record<string, string>>) =>
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)), { pathDelim: "_" }))

/** Why a backup with these settings fails. */
const refusal = (settings: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    return yield* backupTo(join(folder, "backup.tar.gz")).pipe(
      Effect.flip,
      Effect.map(({ message }) => message),
      Effect.provide(Layer.provideMerge(Settings.layer, NodeContext.layer)),
      given({ ...settings, DATA_DIR: join(folder, "data") })
    )
  })

it.scopedLive("A backup without a database names the setting and the reason", () =>
  Effect.gen(function*() {
    const absent = "postgresql://someone@127.0.0.1:1/there"
    assert.match(yield* refusal({ DATABASE_URL: absent }), /ECONNREFUSED.*Check DATABASE_URL/)
    const both = { DATABASE_URL: Redacted.value(yield* freshDatabase), DATABASE_DIRECT_URL: absent }
    assert.match(yield* refusal(both), /ECONNREFUSED.*Check DATABASE_DIRECT_URL/)
  }))

it.scopedLive.skipIf(pgBouncerNeed.isMissing)(
  pgBouncerNeed.named("Through a pooler, a check before an upgrade works, and a backup says what to set"),
  () =>
    Effect.gen(function*() {
      const url = Redacted.value(yield* makePgBouncer(yield* freshDatabase, { connections: 2 }))
      assert.include(yield* refusal({ DATABASE_URL: url }), "Set DATABASE_DIRECT_URL")
      const plan = yield* planUpgrade.pipe(
        Effect.provide(Layer.provide(Settings.layer, NodeContext.layer)),
        given({ DATABASE_URL: url })
      )
      assert.deepStrictEqual(plan.migrations, [])
    })
)
