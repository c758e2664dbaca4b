import { Data, Effect, Option, Schedule, type Scope } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { open as openFile, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { attempt, codeOf, EmbeddedPostgresFailed, onDisk, textOf } from "./EmbeddedPostgresFailed.ts"
import { asAccount, type Cluster, environment, run } from "./PostgresCluster.ts"

/** A running postmaster. */
export interface Server {
  readonly pid: number
  readonly port: number
  readonly isAlive: Effect.Effect<boolean>
}

/** Not now, but perhaps in a moment: a server is on its way up or down. */
export class Busy extends Data.TaggedError("Busy")<{ readonly detail: string }> {}

interface Postmaster extends Server {
  readonly isReady: boolean
}

/** The live postmaster that postmaster.pid names, if any; a stale file of a process that is no postmaster is removed. */
export const find = (cluster: Cluster): Effect.Effect<Option.Option<Postmaster>> =>
  Effect.gen(function*() {
    const file = join(cluster.data, "postmaster.pid")
    const text = yield* Effect.promise(() => readFile(file, "utf8").catch(() => ""))
    const lines = text.split("\n")
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 1) return Option.none()
    const isAlive = isPostmaster(cluster, pid)
    if (!(yield* isAlive)) {
      // PostgreSQL takes any live process of that number for its predecessor, as happens in a restarted container.
      if (yield* exists(pid)) yield* Effect.promise(() => rm(file, { force: true }))
      return Option.none()
    }
    return Option.some({ pid, port: Number(lines[3]), isAlive, isReady: lines[7]?.trim() === "ready" })
  })

const exists = (pid: number): Effect.Effect<boolean> =>
  Effect.try({ try: () => process.kill(pid, 0), catch: codeOf }).pipe(
    Effect.catchAll((code) => Effect.succeed(code === "EPERM"))
  )

const isPostmaster = ({ data }: Cluster, pid: number): Effect.Effect<boolean> =>
  process.platform === "win32" ? exists(pid) : Effect.map(
    // Empty for a process that has ended and that nobody has asked after yet.
    process.platform === "linux"
      ? Effect.promise(() => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""))
      : Effect.async<string>((resume) => {
        execFile("ps", ["-ww", "-o", "command=", "-p", String(pid)], (_, output) => resume(Effect.succeed(output)))
      }),
    (command) => command.includes("postgres") && command.includes(data)
  )

/** Starts a postmaster and waits until it takes connections; it is stopped with the scope while it is ours. */
export const launch = (
  cluster: Cluster,
  port: number,
  isOurs: Effect.Effect<boolean>
): Effect.Effect<Server, Busy | EmbeddedPostgresFailed, Scope.Scope> =>
  Effect.gen(function*() {
    const log = join(cluster.home, "server.log")
    const { child, server } = yield* Effect.acquireRelease(
      spawnServer(cluster, port, log),
      ({ server }) => Effect.whenEffect(stop(cluster, server), isOurs)
    )
    yield* watch(cluster, server.pid)
    const isReady = Effect.map(
      find(cluster),
      Option.exists((found) => found.pid === server.pid && found.isReady)
    )
    const ended = Effect.filterOrElse(server.isAlive, (alive) => alive, () => whyEnded(child, log))
    yield* Effect.zipLeft(isReady, ended).pipe(
      Effect.repeat({ until: (ready) => ready, schedule: Schedule.spaced("10 millis") }),
      // A recovery may take its time.
      Effect.timeoutFail({
        duration: "10 minutes",
        onTimeout: () =>
          new EmbeddedPostgresFailed({ reason: "not-started", detail: "PostgreSQL takes too long to start" })
      })
    )
    return server
  })

/** Makes a server that runs already ours, to be stopped with the scope. */
export const adopt = (
  cluster: Cluster,
  server: Server,
  isOurs: Effect.Effect<boolean>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() => Effect.whenEffect(stop(cluster, server), isOurs)).pipe(
    Effect.zipRight(watch(cluster, server.pid)),
    Effect.zipRight(Effect.logInfo("Took over the PostgreSQL that a killed process left running"))
  )

const spawnServer = (cluster: Cluster, port: number, log: string) =>
  Effect.gen(function*() {
    yield* Effect.ignore(attempt(() => rename(log, `${log}.1`)))
    const output = yield* onDisk(`write ${log}`, attempt(() => openFile(log, "w", 0o600)))
    const child = yield* Effect.ensuring(
      Effect.async<ChildProcess, EmbeddedPostgresFailed>((resume) => {
        const child = spawn(cluster.binaries.postgres, ["-D", cluster.data, ...parameters(cluster, port)], {
          ...asAccount(cluster.account),
          cwd: cluster.home,
          // Its own session: a Ctrl-C is for us, who stop it last.
          detached: true,
          env: environment,
          windowsHide: true,
          stdio: ["ignore", output.fd, output.fd]
        })
        child.once("spawn", () => resume(Effect.succeed(child)))
        child.once("error", (cause) =>
          resume(
            new EmbeddedPostgresFailed({ reason: "not-started", detail: `Can't run PostgreSQL: ${textOf(cause)}` })
          ))
        child.unref()
      }),
      Effect.promise(() => output.close())
    )
    const isAlive = Effect.sync(() => child.exitCode === null && child.signalCode === null)
    return { child, server: { pid: child.pid ?? 0, port, isAlive } }
  })

const parameters = ({ binaries, durable }: Cluster, port: number): ReadonlyArray<string> =>
  Object.entries({
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 100,
    shared_buffers: durable ? "128MB" : "32MB",
    // One small machine, no replicas: no helper processes that only wait, and no log for them.
    io_method: "sync",
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    wal_level: "minimal",
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    // What clients do wrong is told to them, and statements may hold what is private.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    ...(binaries.hasStatements ? { shared_preload_libraries: "pg_stat_statements" } : {}),
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" })
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** What others' hold on the data, the memory or the port looks like in the log: it goes when they do. */
const passing = /lock file ".*" (already exists|is empty)|shared memory block|Address already in use/

const ofStorage = /No space left on device|Permission denied|Read-only file system|has (wrong ownership|invalid perm)/

const whyEnded = (child: ChildProcess, log: string): Effect.Effect<never, Busy | EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const text = yield* Effect.promise(() => readFile(log, "utf8").catch(() => ""))
    const said = text.slice(-2_000).trim() || `it ended with ${child.signalCode ?? child.exitCode}`
    const detail = `PostgreSQL does not start: ${said}`
    if (passing.test(said)) return yield* new Busy({ detail })
    return yield* new EmbeddedPostgresFailed({ reason: ofStorage.test(said) ? "storage" : "not-started", detail })
  })

/** Ends a postmaster: sessions are cut, what was committed is on disk. */
export const stop = (cluster: Cluster, server: Server): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (yield* ends(cluster, server, "SIGINT", 1_000)) return
    yield* Effect.logWarning("Embedded PostgreSQL does not stop; it will recover at the next start")
    yield* ends(cluster, server, "SIGQUIT", 500)
  })

const ends = (cluster: Cluster, server: Server, signal: "SIGINT" | "SIGQUIT", looks: number): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    if (!(yield* server.isAlive)) return true
    yield* process.platform === "win32"
      ? Effect.ignore(run(cluster.binaries.pgCtl, ["stop", "-D", cluster.data, "-m", modes[signal]], {
        account: Option.none(),
        cwd: cluster.home
      }))
      : Effect.ignore(Effect.try(() => process.kill(server.pid, signal)))
    for (let look = 0; look < looks; look++) {
      if (!(yield* server.isAlive)) return true
      yield* Effect.sleep("10 millis")
    }
    return false
  })

const modes = { SIGINT: "fast", SIGQUIT: "immediate" }

/**
 * A process of its own that stops the server once we are gone, however we went: the pipe to it then closes. A line on
 * the pipe dismisses it. (Not on Windows, where the next start adopts the server.)
 */
export const watch = (cluster: Cluster, pid: number): Effect.Effect<void, never, Scope.Scope> =>
  process.platform === "win32" ? Effect.void : Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      const watchdog = spawn("/bin/sh", ["-c", "read -r _ || kill -INT \"$1\"", "troupe-watchdog", String(pid)], {
        ...asAccount(cluster.account),
        cwd: "/",
        detached: true,
        env: environment,
        stdio: ["pipe", "ignore", "ignore"]
      })
      // Without it we still stop the server ourselves; only after our death it would live on until the next start.
      watchdog.on("error", () => {})
      watchdog.stdin.on("error", () => {})
      watchdog.unref()
      return watchdog
    }),
    (watchdog) => Effect.sync(() => watchdog.stdin.end("dismissed\n"))
  ))
