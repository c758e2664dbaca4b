import { NodeContext } from "@effect/platform-node"
import type { Redacted } from "effect"
import { Effect, Layer, Logger, LogLevel } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import * as Migrations from "../../src/Runtime/Database/Migrations.ts"
import { query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"

/** What one process does at its start, with connections of its own. */
export const migrate = (url: Redacted.Redacted, folder?: URL, lines: Array<string> = []) =>
  Effect.provide(
    Migrations.migrate(folder),
    Layer.mergeAll(NodeContext.layer, Layer.succeed(DatabaseUrl, url), logTo(lines))
  )

/** A folder with these migrations. */
export const makeFolder = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const folder = yield* freshFolder
    const add = (files: Readonly<Record<string, string>>) =>
      Effect.forEach(Object.entries(files), ([name, text]) => Effect.promise(() => writeFile(join(folder, name), text)))
    yield* add(files)
    return { where: pathToFileURL(`${folder}/`), add }
  })

export const plays = { "0001_create_plays.sql": "create table plays (title text); create index on plays (title)" }

export const done = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ migration_id: number; name: string }>(url, "select * from troupe_migrations order by migration_id"),
    (rows) => rows.map(({ migration_id, name }) => `${String(migration_id).padStart(4, "0")}_${name}.sql`)
  )

export const tables = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ tablename: string }>(url, "select tablename from pg_tables where schemaname = 'public' order by 1"),
    (rows) => rows.map(({ tablename }) => tablename)
  )

/** Collects our lines, without those of libraries. */
const logTo = (lines: Array<string>) =>
  Layer.merge(
    Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => {
        const line = String(message)
        if (/^(Applying|Migration|Waiting)/.test(line)) lines.push(line)
      })
    ),
    Logger.minimumLogLevel(LogLevel.Debug)
  )
