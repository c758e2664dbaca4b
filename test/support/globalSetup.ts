import { NodeContext } from "@effect/platform-node"
import * as Cluster from "@troupe/embedded-postgres/Cluster"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Effect, Exit, Layer, Logger, LogLevel, Redacted, Scope } from "effect"
import { join } from "node:path"
import { Client } from "pg"
import type { TestProject } from "vitest/node"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { copyFolder } from "./copyFolder.ts"
import { freshFolder } from "./FreshFolder.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The run's own server; `troupe_template` on it is a migrated database to be copied. */
    readonly databaseUrl: string
    /** A cluster that was never served, to be copied by tests that serve their own: creating one takes a second. */
    readonly newCluster: string
  }
}

/** One PostgreSQL for the whole run, thrown away at its end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = Effect.runSync(Scope.make())
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const { newCluster, url } = await Effect.runPromise(server.pipe(
    Effect.tapError((error) => Effect.logError(error.message)),
    Scope.extend(scope),
    Effect.onError(() => Scope.close(scope, Exit.void))
  ))
  project.provide("databaseUrl", Redacted.value(url))
  project.provide("newCluster", newCluster)
  return stop
}

const server = Effect.gen(function*() {
  const dataDir = yield* freshFolder
  const { data } = yield* Cluster.open({ dataDir, durable: false })
  const newCluster = join(dataDir, "new")
  yield* copyFolder(data, newCluster)
  const url = yield* EmbeddedPostgres.start({ dataDir, durable: false })
  yield* createTemplate(url)
  const template = new URL(Redacted.value(url))
  template.pathname = "/troupe_template"
  yield* Migrations.migrate().pipe(
    Effect.provide(
      Layer.mergeAll(
        NodeContext.layer,
        Layer.succeed(DatabaseUrl, Redacted.make(template.href)),
        Logger.minimumLogLevel(LogLevel.Warning)
      )
    )
  )
  return { newCluster, url }
})

const createTemplate = (url: Redacted.Redacted) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: Redacted.value(url) })
    await client.connect()
    await client.query("create database troupe_template")
    // A run opens thousands of connections, and each would derive a key of 4,096 rounds on both sides.
    await client.query("set scram_iterations = 1")
    await client.query(
      `alter role current_user password ${client.escapeLiteral(new URL(Redacted.value(url)).password)}`
    )
    // Statistics that are gathered in the middle of a test change its plans, and the pages that it counts.
    await client.query("alter system set autovacuum = off")
    await client.query("select pg_reload_conf()")
    await client.end()
  })
