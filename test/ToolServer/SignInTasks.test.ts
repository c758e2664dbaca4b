import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually } from "../support/Eventually.ts"
import { httpToolServer } from "../support/HttpToolServer.ts"
import { startService } from "./signIn.ts"
import { Service, timeout, world } from "./signInWorld.ts"

layer(Layer.scoped(Service, startService()), { excludeTestServices: true, timeout })(
  "The sign-in at a tool server",
  (it) => {
    it.scoped(
      "pauses the tasks that call a server without one, tells once, and makes their calls after it",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          yield* service.connect("srv")
          yield* service.server("srv", "connected")
          authority.revoke()
          const ids = yield* Effect.forEach([1, 2, 3], () => service.asks("use srv__count {}"))
          for (const id of ids) {
            const task = yield* service.task(id, "waiting_input")
            assert.deepInclude(task["waiting_for"], { reason: "sign_in", who: null })
            assert.include(String(task["question"]), `${service.base}/console/tool-servers?server=srv`)
          }
          assert.deepStrictEqual(tools.called(), [])
          const answered = yield* service.send("POST", "/human_response", { task_id: ids[0], response: "Go on" })
          assert.strictEqual(answered.status, 409, answered.text)
          const told = yield* service.query("select 1 from notifications where title = 'srv needs a sign-in'")
          assert.lengthOf(told, 1)

          assert.strictEqual((yield* service.connect("srv")).status, 200)
          for (const id of ids) yield* service.task(id, "completed")
          assert.lengthOf(tools.called(), 3)
        }),
      timeout
    )

    it.scoped(
      "is waited for no longer where its server is gone, disabled, or needs none any more",
      () =>
        Effect.gen(function*() {
          const { authority, service, tools } = yield* world
          const open = yield* httpToolServer()
          const names = ["renamed", "disabled", "srv"]
          yield* service.configure(Object.fromEntries(names.map((name) => [name, { url: tools.address }])))
          for (const name of names) {
            yield* service.connect(name)
            yield* service.server(name, "connected")
          }
          authority.revoke()
          const ids = yield* Effect.forEach(names, (name) => service.asks(`use ${name}__count {}`))
          for (const id of ids) {
            assert.deepInclude((yield* service.task(id, "waiting_input"))["waiting_for"], { reason: "sign_in" })
          }
          yield* service.configure({
            other: { url: tools.address },
            disabled: { url: tools.address, disabled: true },
            srv: { url: open.url("http") }
          })
          const said = yield* Effect.forEach(
            ids,
            (id) => Effect.map(service.task(id, "completed"), (task) => JSON.stringify(task))
          )
          assert.include(said[0], "its server was removed or renamed")
          assert.include(said[1], "the tool server disabled is disabled")
          assert.include(said[2], "one")
          assert.deepStrictEqual(tools.called(), [], "nothing was called at the old one")
          assert.deepStrictEqual(open.called(), ["count"])
        }),
      timeout
    )

    it.scoped("is what a subtask waits for that needs it, too, and its creator is told", () =>
      Effect.gen(function*() {
        const { authority, service } = yield* world
        yield* service.connect("srv")
        yield* service.server("srv", "connected")
        authority.revoke()
        const dispatch = { task_description: "use srv__count {}" }
        const id = yield* service.asks(`use dispatch_subagent ${JSON.stringify(dispatch)}`)
        const waits = Effect.map(
          service.send("GET", `/task/${id}/subtasks`),
          ({ json }) => JSON.stringify(json)
        )
        const listed = yield* eventually(waits, (text) => text.includes("\"reason\":\"sign_in\""))
        assert.include(listed, "Waits for a sign-in at the tool server srv by an owner or admin")
        assert.notInclude(listed, "\"until\":null")
        const told = yield* service.query(
          "select n.user_id from notifications n join tasks t on t.id = n.task_id where t.parent_task_id is not null"
        )
        assert.deepStrictEqual(told, [{ user_id: "default" }])
        yield* service.send("POST", `/task/${id}/cancel`)
      }), timeout)
  }
)
