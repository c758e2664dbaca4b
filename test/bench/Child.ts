import { Effect, type Scope } from "effect"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { temporaryFolder } from "./Postgres.ts"
import type { CallsOrder, Dialogue, SubjectOrder, Topic } from "./Protocol.ts"

/** A child process that answers questions over its IPC channel. */
export interface Child {
  readonly pid: number
  readonly ask: <T extends Topic>(topic: T, question: Dialogue[T]["question"]) => Effect.Effect<Dialogue[T]["answer"]>
}

const root = new URL("../../", import.meta.url)

/** The flags of `npm start`; all measured processes run with them. */
export const startFlags: ReadonlyArray<string> = (() => {
  const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  return /^exec node (.*?) ?dist\/service\/main\.js/.exec(scripts["start"] ?? "")?.[1]?.split(" ").filter((flag) =>
    flag !== ""
  ) ?? []
})()

const end = (child: ChildProcess) =>
  Effect.async<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

const forked = (
  file: string,
  order: object,
  flags: ReadonlyArray<string>
): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        fork(fileURLToPath(new URL(file, import.meta.url)), [JSON.stringify(order)], {
          execArgv: [...flags],
          stdio: ["ignore", "inherit", "inherit", "ipc"]
        })
      ),
      end
    )
    const next = <A>() =>
      Effect.async<A>((resume) => {
        const heard = (answer: unknown) => {
          child.off("exit", gone)
          resume(Effect.succeed(answer as A))
        }
        const gone = () => {
          child.off("message", heard)
          resume(Effect.dieMessage(`${file} ended by itself`))
        }
        child.once("message", heard)
        child.once("exit", gone)
      })
    yield* next()
    return {
      pid: child.pid ?? 0,
      ask: (topic, question) =>
        Effect.zipRight(
          Effect.sync(() => child.send({ topic, ...question })),
          next<Dialogue[typeof topic]["answer"]>()
        )
    }
  })

/** The service's layers with the peers' tool, in a child process. */
export const startSubject = (order: SubjectOrder): Effect.Effect<Child, never, Scope.Scope> =>
  forked("Subject.js", order, ["--expose-gc", ...startFlags])

export const startModelCalls = (order: CallsOrder): Effect.Effect<Child, never, Scope.Scope> =>
  forked("ModelCalls.js", order, startFlags)

/** The scripted model provider, and its base URL. */
export const startModel = Effect.gen(function*() {
  const port = yield* freePort
  const child = yield* forked("ModelProvider.js", { port }, [])
  return { ...child, url: `http://127.0.0.1:${port}/v1` }
})

/** The built service as `npm start -- <role>` runs it. */
export const startService = (
  role: "all" | "api" | "worker",
  environment: Readonly<Record<string, string>>
) =>
  Effect.gen(function*() {
    const cwd = yield* temporaryFolder
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...startFlags, fileURLToPath(new URL("dist/service/main.js", root)), role], {
          cwd,
          env: { ...environment },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      end
    )
    yield* Effect.async<void>((resume) => {
      let said = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (said.includes(ready)) return
        said += text
        if (said.includes(ready)) resume(Effect.void)
      })
      child.once("exit", () => resume(Effect.dieMessage(`The ${role} ended by itself: ${said}`)))
    })
    return { pid: child.pid ?? 0, kill: end(child) }
  })

/** Part of the first line that a process writes once it serves. */
const ready = "is ready"

export const freePort: Effect.Effect<number> = Effect.async((resume) => {
  const server = createServer()
  server.listen({ port: 0, host: "127.0.0.1" }, () => {
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
