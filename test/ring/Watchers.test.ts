import { assert } from "@effect/vitest"
import { createTroupe, TroupeError } from "@troupe/client"
import { Chunk, Effect, type Scope, Stream } from "effect"
import { Agent, get } from "node:http"
import { query } from "../support/Database.ts"
import { haveShards, makeDeployment, makePorts, processTest } from "../support/Deployment.ts"
import { start, until } from "../support/Processes.ts"
import { type Frame, taskClient } from "../support/TaskClient.ts"

const idle = 200

/** Tasks that wait for an answer, as rows of their own. */
const waiting = [
  `insert into tasks (id, created_at, creator, description, task_type)
select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), 'default', 'waits', 'task'
from generate_series(1, ${idle}) n`,
  `insert into actors (task_id, shard, creator, updated_at, status, wake_at, last_tool_call_id)
select id, 1 + (row_number() over ())::integer % 300, creator, now(), 'waiting_input', null, 'call' from tasks`
]

const idOf = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`

/** Opens a stream, which stays open until the scope closes, and returns with its first bytes. */
const openStream = (port: number, agent: Agent, id: string): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const request = get({ host: "127.0.0.1", port, path: `/task/${id}/events`, agent }, (response) => {
      if (response.statusCode !== 200) return resume(Effect.dieMessage(`The stream of ${id}: ${response.statusCode}`))
      response.once("data", () => resume(Effect.void))
      response.on("error", () => {})
      response.resume()
    })
    request.on("error", (cause) => resume(Effect.die(cause)))
  })

const openStreams = (port: number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => new Agent({ maxSockets: Infinity })),
      (agent) => Effect.sync(() => agent.destroy())
    )
    const ids = Array.from({ length: idle }, (_, index) => idOf(index + 1))
    yield* Effect.forEach(ids, (id) => openStream(port, agent, id), { concurrency: 20, discard: true })
  })

const isNumbered = ({ id }: Frame) => id !== null

const turns = Array.from({ length: 6 }, () => "use list_directory {}\n\nuse wait {\"seconds\": 0.3}").join("\n\n")

processTest(
  "Beside 200 idle event streams tasks complete, each watcher has each event once, the next task knows the last, and one of "
    + "two uploads at the edge of a quota is kept",
  function*() {
    const deployment = yield* makeDeployment()
    const allPorts = [yield* makePorts, yield* makePorts] as const
    const environment = { ...deployment.environment, MEMORY_AUTO_SAVE: "true", STORAGE_QUOTA_GB: "0.002" }
    yield* Effect.forEach(allPorts, (ports) => start("all", { ...environment, ...ports.environment }), {
      concurrency: 2
    })
    yield* haveShards(deployment.url, allPorts.map(({ address }) => address))
    yield* Effect.forEach(waiting, (text) => query(deployment.url, text), { discard: true })
    const [one, other] = [taskClient(allPorts[0].http), taskClient(allPorts[1].http)]
    yield* openStreams(allPorts[0].http)

    const id = yield* one.submit("watched", { message: `${turns}\n\nDone.` })
    const others = yield* Effect.forEach(
      Array.from({ length: 6 }, (_, index) => index),
      (index) => one.submit(`other-${index}`, { message: turns }),
      { concurrency: 5 }
    )
    const whole = (client: typeof one) =>
      Effect.map(Stream.runCollect(client.events(id)), (frames) => Chunk.toReadonlyArray(frames).filter(isNumbered))
    const inPieces = Effect.gen(function*() {
      const seen: Array<Frame> = []
      while (seen.at(-1)?.event !== "status" || !JSON.stringify(seen.at(-1)?.data).includes("completed")) {
        const piece = one.events(id, seen.at(-1)?.id ?? undefined).pipe(Stream.filter(isNumbered), Stream.take(4))
        seen.push(...yield* Stream.runCollect(piece))
      }
      return seen
    })
    const watched = yield* Effect.all([whole(one), whole(one), whole(other), inPieces], { concurrency: 4 })
    const afterwards = yield* whole(other)
    for (const frames of watched) assert.deepStrictEqual(frames, afterwards)
    assert.deepStrictEqual(afterwards.at(-1)?.data, { status: "completed", error: null })
    yield* until(
      "all tasks have completed",
      Effect.map(
        Effect.forEach(others, (task) => one.find(task), { concurrency: 5 }),
        (tasks) => tasks.every(({ status }) => status === "completed")
      )
    )

    // Both processes have looked for memories of a user who has none yet, and one of them then ends a task of hers.
    const submit = (key: string, message: string) => one.submit(key, { message, user_id: "ada" })
    const statusIs = (task: string, status: string) =>
      until(`task ${task} is ${status}`, Effect.map(one.find(task), (found) => found.status === status))
    const primes = Array.from({ length: 6 }, (_, index) => index)
    const asking = yield* Effect.forEach(
      primes,
      (index) => submit(`prime-${index}`, "use ask_human {\"question\": \"Which?\"}")
    )
    yield* Effect.forEach(asking, (task) => statusIs(task, "waiting_input"), { discard: true })
    const learned = yield* submit("learned", "Note that the spare key of the boathouse hangs behind the blue door")
    yield* statusIs(learned, "completed")
    yield* until(
      "the task is remembered",
      Effect.map(
        query<{ task_id: string }>(deployment.url, "select task_id from remembered_tasks where task_id = $1", [
          learned
        ]),
        (rows) => rows.length === 1
      )
    )
    yield* Effect.sleep("1 second")
    const next = yield* Effect.forEach(
      primes,
      (index) => submit(`next-${index}`, "Where does the spare key of the boathouse hang?"),
      { concurrency: 6 }
    )
    yield* Effect.forEach(next, (task) => statusIs(task, "completed"), { discard: true })
    const matching = yield* query(
      deployment.url,
      `select from steps s where s.task_id = any($1) and s.body like '%"kind":"prepared"%' and s.body like '%behind the blue door%'`,
      [next]
    )
    assert.strictEqual(matching.length, next.length)

    // Each of the processes knows the folder before the files that don't fit together.
    const upload = (name: string, bytes: number) =>
      Effect.promise(() =>
        Promise.all(
          allPorts.map(({ http }, at) =>
            createTroupe({ url: `http://127.0.0.1:${http}`, user: "ada" }).files
              .upload(`${name}-${at}.txt`, "x".repeat(bytes))
              .then(() => 201, (error: unknown) => error instanceof TroupeError ? error.status : error)
          )
        )
      )
    assert.deepStrictEqual(yield* upload("small", 1_000), [201, 201])
    assert.sameMembers(yield* upload("large", 1_500_000), [201, 413])
  }
)
