import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule, Schema, Stream } from "effect"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { kill } from "node:process"
import { inflatingPdf, oneCellSheet, pdfOf, wideCellWord, wideFontPdf } from "../File/Documents/files.ts"
import { request } from "../Http/RawHttp.ts"
import { troupeHere } from "../support/CommandLine.ts"
import { allEnded, type Deployment, makeDeployment, makePorts } from "../support/Deployment.ts"
import { makeModelServer, type ModelRequestSeen, type ModelServer, type ModelTurn } from "../support/ModelServer.ts"
import { linux } from "../support/Need.ts"
import { freePort, type ServiceProcess, start, until } from "../support/Processes.ts"
import { type TaskClient, taskClient } from "../support/TaskClient.ts"
import { isAlive } from "../support/ToolServerFixture.ts"

/** What each document is answered with: an error in plain words, or its text. */
const documents: Readonly<Record<string, readonly [bytes: Uint8Array, answer: RegExp]>> = {
  "far-column.xlsx": [oneCellSheet("ZZZZZZ1"), /^Error: .*beyond XFD1048576/],
  "last-row.xlsx": [oneCellSheet("A1048576"), /\[1048575 empty rows\]\nx$/],
  "wide-cell.docx": [wideCellWord(), /^wide$/],
  "wide-font.pdf": [wideFontPdf(), /^Error: .*(?:needs more memory|timed out)/],
  "inflating.pdf": [inflatingPdf(1_900), /^Error: .*(?:needs more memory|timed out)/],
  "plain.txt": [Buffer.from("harmless"), /^harmless$/]
}

/** The answer on a machine too slow for six of them. */
const isBusy = /^Error: .*did not get its turn in time/

const answer = "The first call of each task streams its text, because its caller said that it watches."

/** Streams of a model that hold the process up where it reads them badly. */
const makeStreams = (): Array<ModelTurn> => [
  { text: "x".repeat(20_000), chunk: 1 },
  { text: "y".repeat(5_000_000), packet: 1000 }
]

/** The model reads the document that its task names, and streams once somebody watches: until then it goes on from step to step. */
const turnOf = (streams: Array<ModelTurn>) => ({ body }: ModelRequestSeen): ModelTurn | undefined => {
  const [, path] = /Read ([\w-]+\.\w+)/.exec(body) ?? []
  if (path !== undefined) {
    return body.includes("\"role\":\"tool\"")
      ? { text: "Read." }
      : { calls: [{ name: "read_document", arguments: { path } }] }
  }
  if (body.includes("Say it")) return { text: answer, chunk: 8, packet: 200, pace: 20 }
  if (!body.includes("Watched")) return undefined
  const stream = body.includes("\"stream\":true") ? streams.shift() : undefined
  return stream ?? { calls: [{ name: "list_directory", arguments: {} }], delay: 200 }
}

/** A service that these tests share; the last one kills it. */
class Running extends Context.Tag("troupe/test/ring/HostileInput.test/Running")<Running, {
  readonly deployment: Deployment
  readonly port: number
  readonly client: TaskClient
  readonly service: ServiceProcess
  readonly model: ModelServer
  readonly streams: ReadonlyArray<ModelTurn>
  /** Processor time that five turns in a row of its event loop took at most since this was last read, in milliseconds. */
  readonly longest: Effect.Effect<number>
}>() {}

const running = Layer.scoped(
  Running,
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const [ports, loopPort] = [yield* makePorts, yield* freePort]
    const streams = makeStreams()
    const model = yield* makeModelServer({ script: turnOf(streams) })
    const service = yield* start("all", {
      ...deployment.environment,
      ...ports.environment,
      NODE_OPTIONS: `--import=${new URL("../support/eventLoop.mjs", import.meta.url).href}`,
      EVENT_LOOP_PORT: loopPort,
      USE_LOCAL_MODEL: "true",
      LOCAL_MODEL_URL: model.url,
      LOCAL_MODEL: "fake"
    })
    const longest = Effect.map(request(loopPort, { path: "/" }), ({ status, text }) => {
      assert.strictEqual(status, 200)
      return Number(text)
    })
    return { deployment, port: ports.http, client: taskClient(ports.http), service, model, streams, longest }
  })
)

/** As the kernel counts: the process with everything that descends from it. */
const treeOf = (pid: number): ReadonlyArray<number> => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter((id) => id !== "").map(Number)
    )
    return [pid, ...children.flatMap(treeOf)]
  } catch {
    return []
  }
}

const residentMegabytes = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) / 1_000
  } catch {
    return 0
  }
}

const toolResult = (messages: unknown): string => {
  const found = Array.isArray(messages) ? messages.find((message) => message.role === "tool") : undefined
  return String(found?.content)
}

/** Milliseconds of processor time: three times what the longest of these turns take, and less than any fault so far. */
const limit = 500

const ended = (client: TaskClient, id: string) =>
  until(
    "the task ends",
    Effect.map(client.find(id), ({ status }) => status === "completed" || status === "failed"),
    "60 seconds"
  ).pipe(Effect.zipRight(client.find(id)))

const lineIn = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ event: Schema.String, data: Schema.Unknown })))
const Delta = Schema.Struct({ delta: Schema.String })

const textIn = (stdout: string): string =>
  stdout.trimEnd().split("\n").map((line) => lineIn(line)).map(({ data, event }) =>
    event === "text" ? Schema.decodeUnknownSync(Delta)(data).delta : ""
  ).join("")

layer(running, { excludeTestServices: true, timeout: "180 seconds" })("Hostile input", (it) => {
  it.scoped.skipIf(linux.isMissing)(
    linux.named(
      "Six hostile documents at once cost the service neither its life nor more memory than two of them may take"
    ),
    () =>
      Effect.gen(function*() {
        const { client, deployment, service } = yield* Running
        const folder = join(deployment.storage, "default")
        mkdirSync(folder, { recursive: true })
        for (const [name, [bytes]] of Object.entries(documents)) writeFileSync(join(folder, name), bytes)
        const own = residentMegabytes(service.pid)
        let children = 0
        let peak = 0
        yield* Effect.sync(() => {
          const tree = treeOf(service.pid)
          children = Math.max(children, tree.length - 1)
          peak = Math.max(peak, tree.reduce((sum, pid) => sum + residentMegabytes(pid), 0))
        }).pipe(Effect.repeat(Schedule.spaced("20 millis")), Effect.forkScoped)
        const names = Object.keys(documents)
        const ids = yield* Effect.forEach(
          names,
          (name) => client.submit(name, { message: `Read ${name}` }),
          { concurrency: 8 }
        )
        const answers = Effect.repeat(
          Effect.map(client.send("GET", "/health"), ({ status }) => assert.strictEqual(status, 200)),
          Schedule.spaced("100 millis")
        )
        yield* Effect.raceFirst(allEnded(deployment.url, "120 seconds"), answers)
        const results = yield* Effect.forEach(
          ids,
          (id) => Effect.map(client.send("GET", `/task/${id}/messages`), ({ body }) => toolResult(body))
        )
        for (const [index, name] of names.entries()) {
          const result = results[index] ?? ""
          if (!isBusy.test(result)) assert.match(result, documents[name]?.[1] ?? /^never$/)
        }
        assert.isFalse(results.every((result) => isBusy.test(result)))
        assert.isAbove(children, 0)
        assert.isAtMost(children, 2)
        // Two readers of 300 MB, and what the service itself takes in meanwhile.
        assert.isBelow(peak, own + 2 * 300 + 150)
        assert.isTrue(yield* service.isRunning)
      }),
    300_000
  )

  it.scoped(
    "No text of a request and no stream of a model keeps the process from answering, and who watches sees a text as it is written",
    () =>
      Effect.gen(function*() {
        const { client, longest, model, port, streams } = yield* Running
        // The turns of the start are not measured: modules are loaded in one of them.
        yield* longest

        const blanks = " ".repeat(20_000)
        for (const message of [`Say it${blanks}b`, `Say it${"\n".repeat(90_000)}y`]) {
          const task = yield* ended(client, yield* client.submit(String(message.length), { message }))
          assert.isBelow(yield* longest, limit, "blanks")
          assert.strictEqual(task.status, "completed")
        }

        const spaces = " ".repeat(15_000)
        const types = [`application/json${spaces}x`, `application/json;${spaces}charset=utf-8${spaces.slice(0, 200)}x`]
        const refused = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, index) => types[index % 2] ?? ""),
          (type) => request(port, { method: "POST", path: "/chat", headers: { "content-type": type }, body: "{}" }),
          { concurrency: 40 }
        )
        for (const { status } of refused) assert.strictEqual(status, 415)
        assert.isBelow(yield* longest, limit, "content types")

        for (const [left, outcome] of [[1, "completed"], [0, "failed"]] as const) {
          const id = yield* client.submit(outcome, { message: "Watched" })
          yield* Effect.forkScoped(Stream.runDrain(client.events(id)))
          yield* until("the model streams", Effect.sync(() => streams.length === left))
          const task = yield* ended(client, id)
          assert.isBelow(yield* longest, limit, outcome)
          assert.strictEqual(task.status, outcome, task.error ?? "")
          if (outcome === "completed") assert.strictEqual(task.outputs[0]?.content?.length, 20_000)
          else assert.match(task.error ?? "", /sent an event of more than 4 MiB/)
        }

        // The command says that it watches: the only call of each task streams, whole.
        const troupe = troupeHere(port)
        for (let run = 0; run < 3; run++) {
          const { code, stderr, stdout } = yield* troupe(["submit", "--watch", "--json", "Say it"])
          assert.strictEqual(code, 0, stderr)
          assert.strictEqual(textIn(stdout), answer)
        }
        const streamed = (yield* model.requests).slice(-3).map(({ body }) => /"stream":\s*true/.test(body))
        assert.deepStrictEqual(streamed, [true, true, true])
      }),
    180_000
  )

  it.scoped.skipIf(linux.isMissing)(
    linux.named("The reader of a document ends with the service"),
    () =>
      Effect.gen(function*() {
        const { client, deployment, service } = yield* Running
        const long = pdfOf(Array.from({ length: 20_000 }, () => "x"))
        writeFileSync(join(deployment.storage, "default", "long.pdf"), long)
        yield* client.submit("long", { message: "Read long.pdf" })
        const readers = Effect.sync(() => treeOf(service.pid).filter((pid) => pid !== service.pid))
        yield* until("the long document is being read", Effect.map(readers, ({ length }) => length > 0))
        const [reader = 0] = yield* readers
        // The service alone: a kill of its process group would reach the reader too.
        kill(service.pid, "SIGKILL")
        yield* service.ended
        yield* until("the reader is gone with the service", Effect.sync(() => !isAlive(reader)))
      }),
    180_000
  )
})
