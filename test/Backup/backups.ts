import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, type Redacted } from "effect"
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { backup } from "../../src/Backup/Backup.ts"
import { restore } from "../../src/Backup/Restore.ts"
import { DatabaseUrl } from "../../src/Runtime/Database/DatabaseUrl.ts"
import { query } from "../support/Database.ts"
import { freshFolder } from "../support/FreshFolder.ts"

export const at = (url: Redacted.Redacted) => Layer.merge(NodeContext.layer, Layer.succeed(DatabaseUrl, url))

export const foldersIn = (folder: string) => ({
  agents: join(folder, "agents"),
  files: join(folder, "files"),
  projects: join(folder, "projects"),
  skills: join(folder, "skills")
})

export const large = Buffer.alloc(3_000_000, "0123456789\n")

/** Files of each kind that a service may have. */
export const givenFiles = Effect.gen(function*() {
  const folders = foldersIn(yield* freshFolder)
  yield* Effect.promise(async () => {
    for (const name of ["files/alice/deep/er", "files/.uploads", "files/empty", "skills/report", "agents"]) {
      await mkdir(join(folders.files, "..", name), { recursive: true })
    }
    await writeFile(join(folders.files, "alice", "odd name ü \n.md"), "Hello")
    await writeFile(join(folders.files, "alice", "deep", "er", `${"n".repeat(200)}.bin`), large)
    await writeFile(join(folders.files, "alice", "nothing"), "")
    await writeFile(join(folders.files, ".uploads", "partial"), "x")
    await symlink("/etc/passwd", join(folders.files, "alice", "link"))
    await writeFile(join(folders.agents, "sales.md"), "---\ndescription: Sells.\n---\n")
    await writeFile(join(folders.skills, "report", "run.sh"), "#!/bin/sh\n")
    await chmod(join(folders.skills, "report", "run.sh"), 0o755)
  })
  return folders
})

/** A backup of the world's database and some files. */
export const givenArchive = Effect.gen(function*() {
  const folders = yield* givenFiles
  const file = join(yield* freshFolder, "troupe.tar.gz")
  const report = yield* backup({ file, folders, version: "0.1.3" })
  return { file, folders, report }
})

export const restoreTo = (url: Redacted.Redacted, folder: string, file: string, replace = false) =>
  restore({ file, folders: foldersIn(folder), replace }).pipe(Effect.provide(at(url)))

export const tablesOf = (url: Redacted.Redacted) =>
  Effect.map(
    query<{ name: string }>(
      url,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
       and relpersistence = 'p' and relname not in ('cluster_locks', 'cluster_runners', 'scheduled_jobs') order by 1`
    ),
    (rows) => rows.map(({ name }) => name)
  )

/** Everything that is stored; only the numbers of transactions and the times of the migrations differ. */
export const contentsOf = (url: Redacted.Redacted) =>
  Effect.gen(function*() {
    const tables = yield* tablesOf(url)
    const rows = yield* Effect.forEach(tables, (table) =>
      query(
        url,
        table === "troupe_migrations"
          ? `select migration_id, name from ${table} order by 1`
          : `select to_jsonb(t) - 'xact_id' as row from ${table} t order by t::text`
      ))
    return Object.fromEntries(tables.map((table, index) => [table, rows[index]]))
  })

export const filesIn = (folder: string) =>
  Effect.promise(() => readdir(folder, { recursive: true }).then((names) => names.sort(), () => []))
