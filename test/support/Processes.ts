import { Data, Duration, Effect, Exit, Schedule, type Scope } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import process, { env } from "node:process"
import { fileURLToPath } from "node:url"
import { freshFolder } from "./FreshFolder.ts"

export type Role = "all" | "api" | "ingestor" | "worker"

export type Environment = Readonly<Record<string, string | number>>

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** The built service as a process of its own, in a process group of its own that ends with the scope. */
export interface ServiceProcess {
  readonly pid: number
  readonly signal: (signal: "SIGCONT" | "SIGKILL" | "SIGSTOP" | "SIGTERM") => Effect.Effect<void>
  /** Waits until it has ended and all it wrote was read. */
  readonly ended: Effect.Effect<Ended>
  readonly isRunning: Effect.Effect<boolean>
  readonly stdout: Effect.Effect<string>
  readonly stderr: Effect.Effect<string>
}

export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly message: string }> {}

/** Each question costs the service and the database time: those of a long wait are asked less often. */
const intervals = Schedule.union(Schedule.exponential("20 millis", 1.1), Schedule.spaced("100 millis"))

/** Repeats the question until the answer is yes; a failure after the time says what was waited for. */
export const until = <E, R>(
  what: string,
  question: Effect.Effect<boolean, E, R>,
  within: `${number} seconds` = "100 seconds"
): Effect.Effect<void, E | TimedOut, R> =>
  question.pipe(
    Effect.repeat({ until: (yes) => yes, schedule: intervals }),
    Effect.timeoutFail({
      duration: within,
      onTimeout: () => new TimedOut({ message: `Timed out after ${within}: ${what}` })
    })
  )

/**
 * The option of `npm start` that changes how fast the service starts; and one that compiles functions for speed later than
 * usual: a process of a test ends before that has paid, and a start takes a fifth more processor time for it.
 */
const nodeOptions = ["--max-semi-space-size=32", "--interrupt-budget=500000"]

const bundler = fileURLToPath(new URL("../../.config/bundle-service.mjs", import.meta.url))
const main = fileURLToPath(new URL("../../dist/service/main.js", import.meta.url))
const project = fileURLToPath(new URL("../../", import.meta.url))

/** The built service, started by `npm start` and not compiled again. The process is npm's. */
export const npmStart = (role: Role): ReadonlyArray<string> => [
  "npm",
  "start",
  "--ignore-scripts",
  "--prefix",
  project,
  "--",
  role
]

/** Once a test process: a service that was built before a change would pass the change's tests. */
const checkBuild = Effect.runSync(
  Effect.cached(Effect.suspend(() =>
    spawnSync(process.execPath, [bundler, "--check"]).status === 0
      ? Effect.void
      : Effect.dieMessage("dist/service was built before the sources changed. Run: npm run build")
  ))
)

/** Starts the service and does not wait until it is ready: it may also end at once. */
export const launch = (
  role: Role,
  environment: Environment,
  [program = process.execPath, ...args]: ReadonlyArray<string> = [process.execPath, ...nodeOptions, main, role]
): Effect.Effect<ServiceProcess, never, Scope.Scope> =>
  Effect.gen(function*() {
    yield* checkBuild
    // A folder without a .env, and an environment without what the machine sets.
    const cwd = yield* freshFolder
    const { service } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(program, args, {
          cwd,
          detached: true,
          env: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)])),
          stdio: ["ignore", "pipe", "pipe"]
        })
        const pid = child.pid ?? 0
        let stdout = ""
        let stderr = ""
        child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
        child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
        const closed = once(child, "close").then(([code, signal]): Ended => ({ code, signal }))
        const isRunning = () => child.exitCode === null && child.signalCode === null
        const service: ServiceProcess = {
          pid,
          signal: (signal) => Effect.sync(() => void (isRunning() && process.kill(-pid, signal))),
          ended: Effect.promise(() => closed),
          isRunning: Effect.sync(isRunning),
          stdout: Effect.sync(() => stdout),
          stderr: Effect.sync(() => stderr)
        }
        return { service }
      }),
      ({ service }, exit) =>
        service.signal("SIGKILL").pipe(
          Effect.zipRight(service.ended),
          Effect.zipRight(Effect.when(logOutput(role, service), () => Exit.isFailure(exit)))
        )
    )
    return service
  })

/** Logs what the process printed, so that one can find out why a test failed. */
const logOutput = (role: Role, service: ServiceProcess) =>
  Effect.zipWith(service.stdout, service.stderr, (stdout, stderr) => `${stdout}${stderr}`.slice(-8_000)).pipe(
    Effect.flatMap((text) => Effect.logError(`Output of ${role} ${service.pid}:\n${text}`))
  )

/** Starts the service and waits until it prints that it is ready. */
export const start = (
  role: Role,
  environment: Environment,
  command?: ReadonlyArray<string>
): Effect.Effect<ServiceProcess, TimedOut, Scope.Scope> =>
  Effect.tap(launch(role, environment, command), (service) =>
    until(
      `the ${role} is ready`,
      Effect.flatMap(service.isRunning, (running) =>
        running
          ? Effect.map(service.stdout, (text) => text.includes(" is ready"))
          : Effect.zipRight(logOutput(role, service), Effect.dieMessage(`The ${role} ended while it started`))),
      "60 seconds"
    ))

/** Asks the process to end; answers how it did, and after how many milliseconds. */
export const terminated = (service: ServiceProcess) =>
  Effect.timed(Effect.zipRight(service.signal("SIGTERM"), service.ended)).pipe(
    Effect.map(([duration, ended]) => ({ ...ended, millis: Duration.toMillis(duration) }))
  )

/** The number of this process among those of the run, from 1; each has ports of its own. */
const worker = Number(env["VITEST_POOL_ID"] ?? 1)

/** A port that nobody has or was offered, below those from which systems serve outgoing connections. */
export const freePort: Effect.Effect<number> = Effect.async<number, string>((resume) => {
  const port = 20_000 + (worker % 4) * 3_000 + (process.pid * 131 + offered++ * 17) % 3_000
  const server = createServer()
  server.once("error", () => resume(Effect.fail("taken")))
  server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.retry({ times: 1_000 }), Effect.orDie)

let offered = 0
