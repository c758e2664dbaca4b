import { assert, layer } from "@effect/vitest"
import type { ChatRequest } from "@troupe/api/TaskRequests"
import { TaskId } from "@troupe/domain/Ids"
import { TaskNotFound, TaskStateConflict } from "@troupe/domain/Task"
import { Effect, Layer, Stream } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { absent, call, type Json, listed, object, refused } from "./calls.ts"
import { request } from "./RawHttp.ts"
import { Service, startService } from "./service.ts"
import { change, clients, submitted } from "./tasks.ts"

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("Tasks over HTTP", (it) => {
  it.effect("a request is accepted with the task, its address, and all that the request names", () =>
    Effect.gen(function*() {
      const { files, query } = yield* Service
      const plain = { message: "Say hello", title: null, attachments: null, unknown: 1 }
      const accepted = yield* call("POST", "/chat", 202, plain)
      const { task, task_id } = accepted.json as { task: Json; task_id: string }
      assert.deepInclude(accepted.json, { status: "pending" })
      assert.strictEqual(accepted.headers["location"], `/task/${task_id}`)
      assert.deepStrictEqual(yield* object("GET", `/task/${task_id}`, 200), task)
      assert.deepInclude(task, { creator: "default", assignee: null, title: "Say hello", attachments: [] })

      yield* Effect.promise(() => mkdir(join(files, "ann"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(files, "ann", "a.txt"), "A"))
      yield* change(task_id, "status = 'completed', wake_at = null, completed_at = now()")
      const named: { readonly [F in keyof ChatRequest]-?: unknown } = {
        message: "m",
        user_id: "ann",
        assignee: "bea",
        title: "t",
        project_id: "C1",
        attachments: ["a.txt"],
        continue_task_id: task_id,
        max_tokens_total: 5_000,
        max_iterations: 40,
        max_cost: 0.5,
        continue_from: "outcome",
        agent: "researcher",
        live: true
      }
      yield* query("insert into users (id) values ('bea')")
      const made = yield* object("POST", "/chat", 202, named)
      const {
        message: description,
        continue_from: _,
        continue_task_id,
        live,
        max_tokens_total,
        user_id: creator,
        ...same
      } = named
      assert.deepInclude(made["task"], {
        ...same,
        creator,
        description,
        continued_from: continue_task_id,
        token_budget: max_tokens_total
      })
      const after = yield* listed(`/tasks?continued_from=${task_id}`)
      assert.deepStrictEqual(after.map(({ id }) => id), [made["task_id"]])
      const watched = yield* query("select from actors where task_id = $1 and watched_until > now()", [made["task_id"]])
      assert.strictEqual(watched.length === 1, live)
      assert.deepStrictEqual(
        yield* refused("invalid-request", "POST", "/chat", 400, { message: "", title: 7, attachments: "a.txt" }),
        ["message", "title", "attachments"]
      )
      assert.deepStrictEqual(yield* refused("invalid-request", "GET", "/tasks?limit=0&status=lost", 400), [
        "status",
        "limit"
      ])
    }))

  it.effect("the same request under a key of up to 255 characters is answered the same, however it is written", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const send = (key: string, body: string) =>
        request(port, { method: "POST", path: "/chat", headers: { "idempotency-key": key }, body })
      const key = "k".repeat(255)
      const first = yield* send(key, `{"message":"m","title":"t"}`)
      const again = yield* send(key, `{ "title":"t", "extra":1, "message":"m" }`)
      assert.deepStrictEqual([first.status, again.status, again.json], [202, 202, first.json])
      assert.strictEqual((yield* send(key, `{"message":"m","title":"u"}`)).status, 409)
      assert.strictEqual((yield* send(`${key}k`, `{"message":"m"}`)).status, 400)
    }))

  it.effect("a listing has a hundred entries unless the caller asks for others, up to a thousand, and links the next", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const parent = yield* submitted()
      yield* query(
        `with made as (
           insert into tasks (id, created_at, creator, description, task_type, parent_task_id)
           select gen_random_uuid(), now(), 'cid', 'One of many', 'subtask', $1 from generate_series(1, 1001) returning id
         )
         insert into actors (task_id, shard, creator, updated_at, status) select id, 1, 'cid', now(), 'completed' from made`,
        [parent]
      )
      for (const path of ["/tasks?task_type=subtask&", `/task/${parent}/subtasks?`]) {
        for (const [limit, length] of [["", 100], ["limit=1000", 1_000], ["limit=1", 1]] as const) {
          const answer = yield* call("GET", `${path}${limit}`, 200)
          assert.lengthOf(answer.json as ReadonlyArray<unknown>, length)
          assert.match(answer.headers["link"] ?? "", /rel="next"$/)
        }
        for (const limit of ["0", "1001", "1.5", "all"]) {
          yield* refused("invalid-request", "GET", `${path}limit=${limit}`, 400)
        }
      }
      const ids = [yield* submitted("page one"), yield* submitted("page two")]
      assert.deepStrictEqual((yield* listed("/tasks?q=page")).map(({ id }) => id), ids.toReversed())
    }))

  it.effect("what can't be is refused by the contract's status, and deleted tasks are gone at the second time", () =>
    Effect.gen(function*() {
      const id = yield* submitted()
      const gone = yield* call("GET", `/task/${absent}`, 404)
      assert.deepStrictEqual(gone.json, {
        type: "/problems/task-not-found",
        title: "No such task",
        status: 404,
        detail: `There is no task ${absent}.`,
        instance: gone.headers["x-request-id"],
        facts: { id: absent }
      })
      for (const task_id of [absent, "nonsense"]) {
        yield* refused("task-not-found", "POST", "/human_response", 404, { task_id, response: "Blue" })
        yield* refused("task-not-found", "GET", `/task/${task_id}/messages?full=true`, 404)
      }
      yield* refused("task-state-conflict", "POST", "/human_response", 409, { task_id: id, response: "Blue" })
      yield* refused("task-state-conflict", "POST", `/task/${id}/retry`, 409)
      yield* refused("invalid-request", "GET", `/task/${id}/messages?full=perhaps`, 400)
      assert.deepInclude(yield* object("POST", `/task/${id}/cancel`, 202), { task_id: id, status: "failed" })
      for (const status of [204, 204]) assert.strictEqual((yield* call("DELETE", `/task/${id}`, status)).text, "")
      yield* refused("task-not-found", "DELETE", `/task/${id}`, 404)
    }))

  it.scoped("the clients and procedures decode tasks, pages, events and the domain's errors", () =>
    Effect.gen(function*() {
      const { client, rpc } = yield* clients
      const id = TaskId.make(absent)
      assert.instanceOf(yield* Effect.flip(client.tasks.workerStatus({ path: { task_id: id } })), TaskNotFound)
      assert.instanceOf(yield* Effect.flip(rpc.get({ task_id: "nonsense" })), TaskNotFound)
      assert.instanceOf(yield* Effect.flip(Stream.runDrain(rpc.watch({ task_id: id }))), TaskNotFound)
      const task = yield* rpc.submit({ message: "m", title: "decoded", idempotency_key: "once" })
      assert.strictEqual((yield* rpc.submit({ message: "m", title: "decoded", idempotency_key: "once" })).id, task.id)
      assert.deepStrictEqual(yield* rpc.get({ task_id: task.id }), task)
      const { path } = { path: { task_id: task.id } }
      assert.instanceOf(yield* Effect.flip(client.tasks.retry({ path })), TaskStateConflict)
      assert.instanceOf(yield* Effect.flip(rpc.retry({ task_id: task.id })), TaskStateConflict)
      const other = yield* rpc.submit({ message: "m", title: "decoded" })
      const page = yield* rpc.list({ limit: 1, q: "decoded" })
      assert.deepStrictEqual([page.items.map((one) => one.id), page.next], [[other.id], other.id])
      assert.isNull((yield* rpc.list({ cursor: other.id, q: "decoded" })).next)

      assert.strictEqual((yield* rpc.cancel({ task_id: task.id })).status, "failed")
      const idsAfter = (after?: string) =>
        Effect.map(
          Stream.runCollect(rpc.watch({ task_id: task.id, ...(after === undefined ? {} : { after }) })),
          (events) => Array.from(events).map((event) => "id" in event ? event.id : "")
        )
      const ids = yield* idsAfter()
      assert.isAbove(ids.length, 1)
      assert.deepStrictEqual(yield* idsAfter(ids[0]), ids.slice(1))
    }))

  it.effect("the root is JSON for programs and leads browsers to the docs, and the version says what is on", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* object("GET", "/", 200), { docs: "/docs", console: null })
      const page = yield* call("GET", "/", 302, undefined, { accept: "text/html,*/*" })
      assert.strictEqual(page.headers["location"], "docs")
      const { deployment_mode, features } = yield* object("GET", "/api/version", 200)
      assert.strictEqual(deployment_mode, "self-hosted")
      assert.deepInclude(features, { authentication: false, docs: true, mail_inbox: false, schedules: true })
    }))
})
