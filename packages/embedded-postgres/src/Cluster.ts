import { Effect, Option, Redacted } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { type Account, exists, handOver, makeReachable, unprivileged } from "./Account.ts"
import * as Binaries from "./Binaries.ts"
import { attempt, type EmbeddedPostgresFailed, notStarted, onDisk, textOf } from "./EmbeddedPostgresFailed.ts"

/** A database cluster on disk and what is needed to serve it. */
export interface Cluster {
  readonly account: Option.Option<Account>
  readonly binaries: Binaries.Binaries
  readonly home: string
  readonly data: string
  readonly password: Redacted.Redacted
  readonly durable: boolean
}

export const user = "troupe"

/** The environment of our child processes: nothing of ours, and no locale or time zone of the machine. */
export const environment = { LC_ALL: "C", PATH: "/usr/bin:/bin", TZ: "UTC" }

/** The text of a file; "" if it can't be read. */
export const readText = (path: string) => Effect.promise(() => readFile(path, "utf8").catch(() => ""))

export const asAccount = (account: Option.Option<Account>): { uid?: number; gid?: number } =>
  Option.getOrElse(account, () => ({}))

export interface ClusterOptions {
  /** A folder of its own; it is created if it does not exist. */
  readonly dataDir: string
  /** False turns off fsync. */
  readonly durable: boolean
}

/** The cluster in `dataDir`; it is created if it does not exist. */
export const open = ({ dataDir, durable }: ClusterOptions): Effect.Effect<Cluster, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const native = yield* Binaries.locate()
    const account = yield* unprivileged
    const home = yield* makeReachable(account, dataDir)
    const binaries = yield* Binaries.prepare({ native, account, copies: home })
    const cluster = { account, binaries, home, data: join(home, "cluster"), durable }
    if (!(yield* exists(cluster.data))) yield* create(cluster)
    const password = yield* onDisk(
      "read the database's password",
      attempt(() => readFile(join(cluster.data, passwordFile), "utf8"))
    )
    return { ...cluster, password: Redacted.make(password) }
  })

/** The address of the database. */
export const urlOf = (password: string, port: number): Redacted.Redacted =>
  Redacted.make(`postgresql://${user}:${password}@127.0.0.1:${port}/troupe`)

export const passwordFile = "troupe.password"

/** Created under another name and then renamed, so that a cluster is complete even if we are killed. */
const create = (
  { account, binaries, data, durable, home }: Omit<Cluster, "password">
): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const draft = `${data}.new-${randomBytes(4).toString("hex")}`
    const password = `${draft}.password`
    yield* onDisk(
      "create a database cluster",
      Effect.zipRight(attempt(() => mkdir(draft, { mode: 0o700 })), handOver(account, draft))
    )
    const secret = randomBytes(24).toString("hex")
    yield* onDisk(
      "write the database's password",
      Effect.zipRight(attempt(() => writeFile(password, secret, { mode: 0o600 })), handOver(account, password))
    )
    yield* run(binaries.initdb, [
      `--pgdata=${draft}`,
      `--username=${user}`,
      `--pwfile=${password}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      ...(durable ? [] : ["--no-sync"])
    ], { account, cwd: home })
    yield* onDisk("create a database cluster", attempt(() => rename(password, join(draft, passwordFile))))
    yield* onDisk("create a database cluster", attempt(() => rename(draft, data))).pipe(
      // Another process may have created it meanwhile.
      Effect.catchAll((error) =>
        Effect.flatMap(exists(data), (there) =>
          there ? Effect.promise(() => rm(draft, { recursive: true, force: true })) : Effect.fail(error))
      )
    )
  })

export const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly account: Option.Option<Account>; readonly cwd: string }
): Effect.Effect<void, EmbeddedPostgresFailed> =>
  Effect.async((resume) => {
    const failed = (detail: string) => resume(notStarted(detail))
    const child = spawn(program, args, {
      ...asAccount(options.account),
      cwd: options.cwd,
      env: environment,
      windowsHide: true,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let errors = ""
    child.stderr.on("data", (chunk) => {
      errors = `${errors}${chunk}`.slice(-2_000)
    })
    child.on("error", (cause) => failed(`Can't run ${program}: ${textOf(cause)}`))
    child.on("close", (code) => code === 0 ? resume(Effect.void) : failed(`${program} failed: ${errors.trim()}`))
    return Effect.sync(() => child.kill())
  })

/** The port of the last start if it is free, else another free one. */
export const choosePort = ({ home }: Cluster): Effect.Effect<number, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const file = join(home, "port")
    const kept = Number(yield* readText(file))
    const port = yield* Effect.orElse(freePort(Number.isInteger(kept) && kept < 65_536 ? kept : 0), () => freePort(0))
    if (port !== kept) {
      yield* onDisk(
        "write the database's port",
        attempt(() => writeFile(file, String(port)).then(() => chmod(file, 0o600)))
      )
    }
    return port
  })

const freePort = (wanted: number): Effect.Effect<number, EmbeddedPostgresFailed> =>
  Effect.async((resume) => {
    const server = createServer()
    server.on("error", (cause) => resume(notStarted(`No port is free: ${textOf(cause)}`)))
    server.listen({ host: "127.0.0.1", port: wanted, exclusive: true }, () => {
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : wanted
      server.close(() => resume(Effect.succeed(port)))
    })
  })

export interface Inspection {
  /** The folder holds a database. */
  readonly isCreated: boolean
  /** The address of its server, if the folder names one; it may have ended since. */
  readonly url: Option.Option<Redacted.Redacted>
}

/** Reads the state of a database folder without starting or changing anything. */
export const inspect = (dataDir: string): Effect.Effect<Inspection, EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    yield* Binaries.locate()
    const data = join(dataDir, "cluster")
    const port = Number((yield* readText(join(data, "postmaster.pid"))).split("\n")[3])
    const password = yield* readText(join(data, passwordFile))
    const isRunning = Number.isInteger(port) && port > 0 && password !== ""
    return {
      isCreated: yield* exists(data),
      url: isRunning ? Option.some(urlOf(password, port)) : Option.none()
    }
  })
