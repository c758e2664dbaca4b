import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { absent, call, type Json, listed, object, refused } from "./calls.ts"
import { Service, startService } from "./service.ts"

const submitted = (user: string) =>
  Effect.map(object("POST", "/chat", 202, { message: "Write a poem", user_id: user }), ({ task_id }) => String(task_id))

layer(Layer.scoped(Service, startService()), { excludeTestServices: true })("Over HTTP", (it) => {
  it.effect("storage is reported by table, with the files, the oldest task and the retention", () =>
    Effect.gen(function*() {
      yield* submitted("storing")
      const { files, query } = yield* Service
      yield* Effect.promise(() => mkdir(join(files, "storing"), { recursive: true }))
      yield* Effect.promise(() => writeFile(join(files, "storing", "note.txt"), "Ten bytes."))
      const { tables, ...report } = yield* object("GET", "/system/storage", 200)
      const [oldest] = yield* query<{ at: Date }>("select min(created_at) as at from tasks")
      assert.isAbove(Number(report["database_bytes"]), 1_000_000)
      assert.isAtLeast(Number(report["files_bytes"]), 4_096)
      assert.deepInclude(report, { oldest_task: oldest?.at.toISOString(), retention_days: 0 })
      const listed = tables as ReadonlyArray<{ readonly name: string; readonly bytes: number; readonly rows: number }>
      assert.includeMembers(listed.map(({ name }) => name), ["tasks", "actors", "steps", "notifications"])
      assert.isTrue(
        listed.every(({ bytes, rows }, index) => rows >= 0 && bytes <= (listed[index - 1]?.bytes ?? Infinity))
      )
    }))

  it.effect("channels are synced, listed and read, and their members changed", () =>
    Effect.gen(function*() {
      const { chat: { state } } = yield* Service
      for (const name of ["Ada", "Bob"]) state.user(name.toUpperCase(), { name, real_name: name })
      state.channel("GENERAL", { topic: "News", members: ["UTROUPE", "UADA", "UBOB"] })
      state.channel("RANDOM", { is_private: true })
      const all = "/api/channels/"
      const report = { synced: 2, created: 2, updated: 0, deactivated: 0, errors: [] }
      assert.deepStrictEqual(yield* object("POST", `${all}sync`, 200), report)
      const channels = yield* listed(all)
      assert.deepStrictEqual(channels.map(({ channel_id }) => channel_id).toSorted(), ["CGENERAL", "CRANDOM"])
      const general = channels.find(({ channel_id }) => channel_id === "CGENERAL")
      assert.deepInclude(general, {
        name: "general",
        topic: "News",
        is_private: false,
        is_active: true
      })
      assert.deepStrictEqual(yield* object("GET", `${all}CGENERAL`, 200), general)
      assert.deepInclude(yield* object("POST", `${all}CGENERAL/sync`, 200), { synced: 1, created: 0, errors: [] })

      const members = yield* listed(`${all}CGENERAL/members`)
      assert.deepStrictEqual(members.map(({ name }) => name), ["Ada", "Bob"])
      const [ada] = members
      const changed = { ...ada, role: "Editor", responsibilities: "The news" }
      const { role, responsibilities } = changed
      const put = (user: unknown, status: number, body: Json) =>
        ["PUT", `${all}CGENERAL/members/${user}`, status, body] as const
      assert.deepStrictEqual(yield* object(...put("UADA", 200, { role, responsibilities })), changed)
      assert.deepStrictEqual(yield* object(...put(ada?.["user_id"], 200, { role: null })), { ...changed, role: null })
      assert.deepStrictEqual(yield* refused("invalid-request", ...put("UADA", 400, { role: " " })), ["role"])
      yield* refused("membership-not-found", ...put("UNOBODY", 404, { role }))
      for (
        const [method, path, body] of [["GET", ""], ["POST", "/sync"], ["GET", "/members"], [
          "PUT",
          "/members/UADA",
          {}
        ]] as const
      ) {
        for (const id of ["CNOWHERE", "x"]) {
          yield* refused("channel-not-found", method, `${all}${id}${path}`, 404, body)
        }
      }
    }))

  it.effect("schedules are made, paused, resumed, changed, run and deleted", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const all = "/api/schedules"
      const draft = { message: "Brew tea" }
      const cron = yield* object("POST", all, 201, { ...draft, every: "0 9 1 1 *", timezone: "Europe/Berlin" })
      assert.deepInclude(cron, {
        kind: "task",
        cron: "0 9 1 1 *",
        timezone: "Europe/Berlin",
        status: "active",
        at: null
      })
      const at = DateTime.formatIso(DateTime.startOf(DateTime.add(yield* DateTime.now, { days: 2 }), "hour"))
      const once = yield* object("POST", all, 201, { ...draft, at, kind: "reminder" })
      assert.deepInclude(once, { kind: "reminder", at, cron: null, next_runs: [at] })
      assert.deepStrictEqual((yield* listed(all)).map(({ id }) => id), [once["id"], cron["id"]])
      const both = { ...draft, at, every: "0 9 1 1 *" }
      assert.deepStrictEqual(yield* refused("schedule-invalid", "POST", all, 400, both), ["every"])

      const one = `${all}/${cron["id"]}`
      assert.deepStrictEqual(yield* object("GET", one, 200), cron)
      const paused = { ...cron, status: "paused", next_runs: [] }
      const [pause, resume] = [object("POST", `${one}/pause`, 200), object("POST", `${one}/resume`, 200)]
      assert.deepStrictEqual([yield* pause, yield* pause], [paused, paused])
      assert.deepStrictEqual(yield* listed(`${all}?status=paused`), [paused])
      assert.deepStrictEqual([yield* resume, yield* resume], [cron, cron])
      const later = yield* object("PUT", one, 200, { message: "Brew more tea", every: "0 20 * * *" })
      assert.deepInclude(later, { id: cron["id"], message: "Brew more tea", cron: "0 20 * * *" })
      assert.deepStrictEqual(yield* refused("schedule-invalid", "PUT", one, 400, { every: "never" }), ["every"])
      yield* refused("channel-not-found", "PUT", one, 404, { channel_id: "CNOWHERE" })
      const { last_task_id } = yield* object("POST", `${one}/run`, 200)
      assert.deepInclude(yield* object("GET", `/task/${last_task_id}`, 200), { source: "schedule" })

      yield* query("update schedules set status = 'done', next_run_at = null, ended_at = now() where id = $1", [
        once["id"]
      ])
      for (const action of ["pause", "resume"]) {
        yield* refused("schedule-ended", "POST", `${all}/${once["id"]}/${action}`, 409)
      }
      yield* call("DELETE", one, 204)
      for (const id of [cron["id"], absent, "x"]) {
        for (
          const [method, path] of [["PUT", ""], ["GET", ""], ["DELETE", ""], ["POST", "/pause"], [
            "POST",
            "/resume"
          ]] as const
        ) {
          yield* refused("schedule-not-found", method, `${all}/${id}${path}`, 404, method === "PUT" ? draft : undefined)
        }
      }
    }))

  it.effect("a message reaches a task once under its key, and continues one that has ended once", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const id = yield* submitted("default")
      const message = (key: string, text: string, status = 202) =>
        [
          "POST",
          `/task/${id}/message`,
          status,
          { message: text },
          key === "" ? {} : { "idempotency-key": key }
        ] as const
      const inbox = query<{ body: string }>("select body from inbox where task_id = $1", [id])
      for (const key of ["", "a", "a", "b"]) {
        const answer = yield* call(...message(key, "In verse"))
        assert.deepInclude(answer.json, { task_id: id, status: "pending" })
        assert.strictEqual(answer.headers["location"], `/task/${id}`)
      }
      assert.strictEqual((yield* inbox).length, 3)
      yield* refused("idempotency-conflict", ...message("a", "In prose", 409))
      assert.deepStrictEqual(yield* refused("invalid-request", ...message("c", "", 400)), ["message"])

      yield* query("update actors set status = 'completed', wake_at = null, completed_at = now() where task_id = $1", [
        id
      ])
      const [first, again] = [yield* object(...message("d", "And now?")), yield* object(...message("d", "And now?"))]
      assert.notStrictEqual(first["task_id"], id)
      assert.strictEqual(again["task_id"], first["task_id"])
      assert.deepInclude(first["task"], { continued_from: id, description: "And now?" })
      assert.strictEqual((yield* inbox).length, 3)
      yield* refused("task-not-found", "POST", `/task/${absent}/message`, 404, { message: "Hello" })
    }))

  it.effect("a task says where it runs and when it is due, and its user what it used", () =>
    Effect.gen(function*() {
      const { query } = yield* Service
      const id = yield* submitted("ann")
      const status = object("GET", `/task/${id}/worker-status`, 200)
      const { next_wakeup_at, ...rest } = yield* status
      assert.match(String(next_wakeup_at), /^\d{4}-.*Z$/)
      assert.deepStrictEqual(rest, {
        task_id: id,
        status: "pending",
        active: false,
        runner: null,
        queue_job_id: null,
        iteration_count: 0,
        last_step_at: null
      })
      yield* query("update actors set status = 'waiting_input', wake_at = null where task_id = $1", [id])
      assert.deepInclude(yield* status, { status: "waiting_input", next_wakeup_at: null })
      for (const other of [absent, "x"]) yield* refused("task-not-found", "GET", `/task/${other}/worker-status`, 404)

      const usage = yield* object("GET", "/users/ann/usage", 200)
      assert.deepInclude(usage, { user_id: "ann", tasks: 1, unpriced_tasks: 0, input_tokens: 0, cost: null })
      yield* refused("user-not-found", "GET", "/users/nobody/usage", 404)
    }))

  it.effect("the data of a person is deleted, twice with the same answer", () =>
    Effect.gen(function*() {
      const [mine, kept] = [yield* submitted("bea"), yield* submitted("cid")]
      yield* call("POST", "/api/subscriptions", 201, { url: "https://example.org/", user_id: "bea" })
      assert.strictEqual((yield* call("DELETE", "/users/bea/data", 204)).text, "")
      yield* refused("task-not-found", "GET", `/task/${mine}`, 404)
      assert.deepStrictEqual(yield* listed("/api/subscriptions?user_id=bea"), [])
      assert.deepStrictEqual((yield* listed("/tasks?creator=cid")).map(({ id }) => id), [kept])
      yield* call("DELETE", "/users/bea/data", 204)
      yield* refused("user-not-found", "DELETE", "/users/nobody/data", 404)
    }))

  it.scoped("channels can't be synced while team chat is not set up", () =>
    Effect.gen(function*() {
      const service = yield* startService({ CHAT_BOT_TOKEN: "" })
      for (const path of ["sync", "CGENERAL/sync"]) {
        yield* Effect.provideService(
          refused("chat-not-configured", "POST", `/api/channels/${path}`, 409),
          Service,
          service
        )
      }
    }))
})
