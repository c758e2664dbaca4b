import { assert, layer } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Queue, Schema, Stream } from "effect"
import { type Accepted, audit } from "../support/Audit.ts"
import { query } from "../support/Database.ts"
import {
  allEnded,
  type Deployment,
  haveShards,
  makeDeployment,
  makePorts,
  shortLeases,
  submitAll
} from "../support/Deployment.ts"
import { type LineModel, makeLineModel } from "../support/LineModel.ts"
import { type ServiceProcess, start, until } from "../support/Processes.ts"
import { type Frame, type TaskClient, taskClient } from "../support/TaskClient.ts"
import { openIdleStreams } from "./idleStreams.ts"

interface Member {
  readonly address: string
  readonly http: number
  readonly client: TaskClient
  readonly service: ServiceProcess
}

const turns = 6
const idleStreams = 200

/** A service of two processes, which these tests share. */
class Service extends Context.Tag("troupe/test/ring/RunningTasks.test/Service")<Service, {
  readonly deployment: Deployment
  readonly model: LineModel
  /** The second gets no answer to the last turn of a line task, so that its end is in the middle of the task. */
  readonly members: readonly [Member, Member]
  /** The member that runs the task, and the other. */
  readonly runnerOf: (task: string) => Effect.Effect<readonly [runner: Member, other: Member], unknown>
}>() {}

const service = Layer.scoped(
  Service,
  Effect.gen(function*() {
    const deployment = yield* makeDeployment()
    const model = yield* makeLineModel({
      label: "both",
      latency: (_, turn, body) => turn === turns && body.includes("unanswered") ? 600_000 : 200,
      style: { chunk: 3 }
    })
    const settings = { ...deployment.environment, ...shortLeases, ...model.environment("responses") }
    const makeMember = (OPENAI_MODEL: string) =>
      Effect.gen(function*() {
        const { address, environment, http } = yield* makePorts
        const service = yield* start("all", { ...settings, ...environment, OPENAI_MODEL })
        return { address, http, client: taskClient(http), service }
      })
    const members = yield* Effect.all([makeMember("lines"), makeMember("unanswered")], { concurrency: 2 })
    yield* haveShards(deployment.url, members.map(({ address }) => address))
    const runnerOf = (task: string) =>
      Effect.gen(function*() {
        const actors = query<{ runner: string }>(
          deployment.url,
          "select runner from actors where task_id = $1 and status = 'running'",
          [task]
        )
        yield* until("the task runs", Effect.map(actors, ({ length }) => length > 0))
        const [one, other] = members
        return (yield* actors)[0]?.runner === one.address ? [one, other] as const : [other, one] as const
      })
    return { deployment, model, members, runnerOf }
  })
)

const isNumbered = ({ id }: Frame) => id !== null

const Delta = Schema.Struct({ delta: Schema.String })

const textOf = (frames: ReadonlyArray<Frame>): string =>
  frames.filter(({ event }) => event === "text").map(({ data }) => Schema.decodeUnknownSync(Delta)(data).delta).join("")

// Idempotency keys outlive their tasks by a day, so that a late repetition makes no second one.
const tables = ["tasks", "actors", "steps", "inbox"]

layer(service, { excludeTestServices: true, timeout: "180 seconds" })("A task that one of two processes runs", (it) => {
  it.scoped(
    "ends its model call within two seconds of a cancel or delete at the other, goes on after a retry, and leaves nothing",
    () =>
      Effect.gen(function*() {
        const { deployment, members: [{ client }], model: { server }, runnerOf } = yield* Service
        const write = (content: string) => ({
          name: "write_file",
          arguments: { path: "notes.txt", content, append: true }
        })

        yield* server.script(
          { text: "A first note.", calls: [write("one\n")] },
          { text: "Too late.", delay: 30_000 },
          { text: "A second note.", calls: [write("two\n")] },
          { text: "Both notes are there." }
        )
        const id = yield* client.submit("cancelled", { message: "take two notes" })
        // Its first call, and the second, which lasts.
        yield* Queue.take(server.arrivals)
        yield* Queue.take(server.arrivals)
        const [, { client: other }] = yield* runnerOf(id)
        const before = yield* Clock.currentTimeMillis
        const cancelled = yield* other.send("POST", `/task/${id}/cancel`, { reason: "changed my mind" })
        assert.strictEqual(cancelled.status, 202)
        yield* Queue.take(server.hangUps)
        const millis = (yield* Clock.currentTimeMillis) - before
        assert.isAtMost(millis, 2_000, "milliseconds until the call was hung up")
        const failed = yield* client.find(id)
        assert.deepStrictEqual([failed.status, failed.error], ["failed", "Cancelled: changed my mind"])
        assert.strictEqual((yield* client.send("POST", `/task/${id}/cancel`, {})).status, 409)

        assert.strictEqual((yield* client.send("POST", `/task/${id}/retry`)).status, 202)
        yield* until("the retried task ends", Effect.map(client.find(id), ({ status }) => status === "completed"))
        const done = yield* client.find(id)
        assert.deepStrictEqual(done.outputs.map(({ content }) => content), ["Both notes are there."])
        assert.deepStrictEqual([done.usage.model_calls, done.usage.tool_calls], [3, 2])
        const bodies = (yield* server.bodies).map((body) => JSON.stringify(body))
        assert.strictEqual(bodies.length, 4)
        assert.include(bodies[2], "Added to notes.txt", "the retried call knows the step that was saved")
        assert.strictEqual((yield* client.send("POST", `/task/${id}/retry`)).status, 409)

        assert.strictEqual((yield* client.send("DELETE", `/task/${id}`)).status, 204)
        assert.isNotNull((yield* client.find(id)).archived_at)
        assert.strictEqual((yield* client.send("DELETE", `/task/${id}`)).status, 204)
        assert.strictEqual((yield* client.send("GET", `/task/${id}`)).status, 404)
        assert.strictEqual((yield* client.send("DELETE", `/task/${id}`)).status, 404)
        const left = (table: string) => query(deployment.url, `select * from ${table}`)
        for (const table of tables) assert.deepStrictEqual(yield* left(table), [], `the rows left in ${table}`)

        yield* Queue.takeAll(server.arrivals)
        yield* server.script({ text: "Too late.", delay: 30_000 })
        const archived = yield* client.submit("archived", { message: "this will take long" })
        yield* Queue.take(server.arrivals)
        const [, { client: away }] = yield* runnerOf(archived)
        assert.strictEqual((yield* away.send("DELETE", `/task/${archived}`)).status, 204)
        yield* Effect.timeout(Queue.take(server.hangUps), "2 seconds")
        const { archived_at, status } = yield* client.find(archived)
        assert.strictEqual(status, "failed")
        assert.isNotNull(archived_at)
        assert.strictEqual((yield* client.send("DELETE", `/task/${archived}`)).status, 204)
        assert.deepStrictEqual(yield* left("steps"), [])
      }),
    180_000
  )

  it.scoped(
    `gives each watcher each event once, beside ${idleStreams} idle streams, over reconnections and the end of its process`,
    () =>
      Effect.gen(function*() {
        const { deployment, members, model, runnerOf } = yield* Service
        const [here, there] = members
        const idle = yield* openIdleStreams(deployment.url, here.http, idleStreams)

        const accepted: Array<Accepted> = []
        const submit = Effect.gen(function*() {
          const [task] = yield* submitAll(here.client, [{ name: `watched-${accepted.length}`, turns }])
          if (task === undefined) return assert.fail("no task")
          accepted.push(task)
          const [runner] = yield* runnerOf(task.id)
          return { id: task.id, runner }
        })
        const { id } = yield* Effect.repeat(submit, { until: ({ runner }) => runner === there })
        accepted.push(
          ...yield* submitAll(
            here.client,
            Array.from({ length: 6 }, (_, index) => ({
              name: `other-${index}`,
              turns
            }))
          )
        )

        const isLast = (frame: Frame | undefined) =>
          frame?.event === "status" && JSON.stringify(frame.data).includes("completed")
        /** Reads to the end, after a broken connection and after each piece from the next of the clients. */
        const watch = (seen: Array<Frame>, piece: number, ...clients: ReadonlyArray<TaskClient>) =>
          Effect.gen(function*() {
            for (let at = 0; !isLast(seen.filter(isNumbered).at(-1)); at++) {
              const client = clients[Math.min(at, clients.length - 1)] ?? here.client
              let left = piece
              yield* client.events(id, seen.filter(isNumbered).at(-1)?.id ?? undefined).pipe(
                Stream.tap((frame) => Effect.sync(() => seen.push(frame))),
                Stream.takeUntil((frame) => isNumbered(frame) && --left === 0),
                Stream.runDrain,
                client === here.client ? (read) => read : Effect.ignore
              )
            }
            return seen.filter(isNumbered)
          })
        const atOnce: Array<Frame> = []
        const inPieces: Array<Frame> = []
        const moved: Array<Frame> = []
        const watchers = yield* Effect.fork(Effect.all([
          watch(atOnce, Infinity, here.client),
          watch([], Infinity, here.client),
          watch(inPieces, 3, here.client),
          watch(moved, Infinity, there.client, here.client)
        ], { concurrency: "unbounded" }))
        yield* until(
          "all have seen several events",
          Effect.sync(() => [atOnce, inPieces, moved].every((frames) => frames.filter(isNumbered).length > 8))
        )
        yield* there.service.signal("SIGKILL")
        const watched = yield* Effect.timeout(Fiber.join(watchers), "60 seconds")
        for (const frames of [atOnce, moved]) {
          assert.match(textOf(frames), /Line \d of 6 comes next\./, "the model's words as they came")
        }
        const whole = yield* watch([], Infinity, here.client)
        for (const frames of watched) assert.deepStrictEqual(frames, whole)
        assert.deepStrictEqual(whole.at(-1)?.data, {
          status: "completed",
          error: null,
          ended_by: "answer",
          end_label: null
        })
        const task = yield* here.client.find(id)
        assert.deepStrictEqual(
          whole.filter(({ event }) => event === "log").map(({ data }) => data),
          [...task.logs],
          "the log lines are the task's"
        )

        yield* idle.deleteTasks
        yield* allEnded(deployment.url, "60 seconds")
        const labels = Object.fromEntries(members.map(({ address }) => [address, model.label]))
        const { recoveries } = yield* audit({ ...deployment, accepted, labels })
        assert.isAbove(recoveries, 0, "its process ended in the middle")
      }),
    180_000
  )
})
