import { Data, Effect, Option, Schedule, type Scope } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { open as openFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { asAccount, type Cluster, environment, readText, run } from "./Cluster.ts"
import { attempt, codeOf, EmbeddedPostgresFailed, notStarted, onDisk, textOf } from "./EmbeddedPostgresFailed.ts"

export interface Server {
  readonly pid: number
  readonly port: number
  readonly isAlive: Effect.Effect<boolean>
}

/** To be retried: a server is starting or stopping. */
export class Busy extends Data.TaggedError("Busy")<{ readonly detail: string }> {}

interface Postmaster extends Server {
  readonly isReady: boolean
}

/** The running postmaster that postmaster.pid names, if any. The file is removed if its process is no postmaster. */
export const find = (cluster: Cluster): Effect.Effect<Option.Option<Postmaster>> =>
  Effect.gen(function*() {
    const file = join(cluster.data, "postmaster.pid")
    const text = yield* readText(file)
    const lines = text.split("\n")
    const pid = Number(lines[0])
    if (!Number.isInteger(pid) || pid <= 1) return Option.none()
    const isAlive = isPostmaster(cluster, pid)
    if (!(yield* isAlive)) {
      // PostgreSQL does not start while that pid is in use, as it may be in a restarted container.
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
    process.platform === "linux"
      ? readText(`/proc/${pid}/cmdline`)
      : Effect.async<string>((resume) => {
        execFile("ps", ["-ww", "-o", "command=", "-p", String(pid)], (_, output) => resume(Effect.succeed(output)))
      }),
    (command) => command.includes("postgres") && command.includes(data)
  )

/** A crashed server may have to recover first. */
const recoveryTimeout = "10 minutes"

/** Starts a postmaster and waits until it accepts connections. It is stopped with the scope if it is still ours. */
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
    const ended = Effect.filterOrElse(server.isAlive, (alive) => alive, () => endReason(child, log))
    yield* Effect.zipLeft(isReady, ended).pipe(
      Effect.repeat({ until: (ready) => ready, schedule: Schedule.spaced("10 millis") }),
      Effect.timeoutFail({
        duration: recoveryTimeout,
        onTimeout: () => notStarted(`PostgreSQL did not start within ${recoveryTimeout}`)
      })
    )
    return server
  })

export const adopt = (
  cluster: Cluster,
  server: Server,
  isOurs: Effect.Effect<boolean>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() => Effect.whenEffect(stop(cluster, server), isOurs)).pipe(
    Effect.zipRight(watch(cluster, server.pid)),
    Effect.zipRight(Effect.logInfo("Adopted the PostgreSQL server that a killed process left running"))
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
          // A Ctrl-C in the terminal is for this process, which stops the server last.
          detached: true,
          env: environment,
          windowsHide: true,
          stdio: ["ignore", output.fd, output.fd]
        })
        child.once("spawn", () => resume(Effect.succeed(child)))
        child.once("error", (cause) => resume(notStarted(`Can't run PostgreSQL: ${textOf(cause)}`)))
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
    // One machine without replicas needs no helper processes and no log for them.
    io_method: "sync",
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    wal_level: "minimal",
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    // Clients get their errors themselves, and statements may contain private data.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    ...(binaries.hasStatements ? { shared_preload_libraries: "pg_stat_statements" } : {}),
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" })
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** Another server that is stopping still uses the folder, the memory or the port. */
const transient = /lock file ".*" (already exists|is empty)|shared memory block|Address already in use/

const storage = /No space left on device|Permission denied|Read-only file system|has (wrong ownership|invalid perm)/

const endReason = (child: ChildProcess, log: string): Effect.Effect<never, Busy | EmbeddedPostgresFailed> =>
  Effect.gen(function*() {
    const text = yield* readText(log)
    const reason = text.slice(-2_000).trim() || `it ended with ${child.signalCode ?? child.exitCode}`
    const detail = `PostgreSQL does not start: ${reason}`
    if (transient.test(reason)) return yield* new Busy({ detail })
    return yield* new EmbeddedPostgresFailed({ reason: storage.test(reason) ? "storage" : "not-started", detail })
  })

/** Stops a postmaster and its sessions; committed transactions are on disk. */
export const stop = (cluster: Cluster, server: Server): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (yield* ends(cluster, server, "SIGINT", 1_000)) return
    yield* Effect.logWarning(
      "Embedded PostgreSQL did not stop within 10 s; stopping it immediately, it will recover at the next start"
    )
    yield* ends(cluster, server, "SIGQUIT", 500)
  })

const ends = (cluster: Cluster, server: Server, signal: "SIGINT" | "SIGQUIT", polls: number): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    if (!(yield* server.isAlive)) return true
    yield* process.platform === "win32"
      ? Effect.ignore(run(cluster.binaries.pgCtl, ["stop", "-D", cluster.data, "-m", modes[signal]], {
        account: Option.none(),
        cwd: cluster.home
      }))
      : Effect.ignore(Effect.try(() => process.kill(server.pid, signal)))
    for (let poll = 0; poll < polls; poll++) {
      if (!(yield* server.isAlive)) return true
      yield* Effect.sleep("10 millis")
    }
    return false
  })

const modes = { SIGINT: "fast", SIGQUIT: "immediate" }

/**
 * A process that stops the server when its pipe to this process closes, even by `kill -9`. A line on the pipe ends it.
 * Windows has none.
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
      // Without it only a killed process leaves its server running, until the next start.
      watchdog.on("error", () => {})
      watchdog.stdin.on("error", () => {})
      watchdog.unref()
      return watchdog
    }),
    (watchdog) => Effect.sync(() => watchdog.stdin.end("dismissed\n"))
  ))
