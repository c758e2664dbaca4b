// Serves the folder it is given, prints the URL, and stays until it is ended or killed: `node servePostgres.mjs <folder>`.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as EmbeddedPostgres from "@troupe/embedded-postgres/EmbeddedPostgres"
import { Effect, Redacted } from "effect"
import process from "node:process"

const dataDir = process.argv.at(-1) ?? ""

NodeRuntime.runMain(
  EmbeddedPostgres.start({ dataDir, durable: true }).pipe(
    Effect.tap((url) => Effect.sync(() => process.stdout.write(`${Redacted.value(url)}\n`))),
    Effect.zipRight(Effect.never),
    Effect.scoped
  )
)
