import { assert, layer } from "@effect/vitest"
import { inputRequired } from "@modelcontextprotocol/server"
import { Effect, Layer } from "effect"
import { askingServer } from "../support/AskingServer.ts"
import { startService } from "./signIn.ts"
import { Service, timeout } from "./signInWorld.ts"

const form = { type: "object" as const, properties: { seats: { type: "integer" as const } } }

const booking = askingServer({
  book: () =>
    inputRequired({
      inputRequests: { table: inputRequired.elicit({ message: "Which table?", requestedSchema: form }) }
    })
})

layer(Layer.scoped(Service, startService()), { excludeTestServices: true, timeout })(
  "The form of a tool server",
  (it) => {
    it.scoped("is waited for no longer where its server is gone or disabled", () =>
      Effect.gen(function*() {
        const service = yield* Service
        const url = (yield* booking).url
        const names = ["gone", "disabled", "stays"]
        yield* service.configure(Object.fromEntries(names.map((name) => [name, { url }])))
        for (const name of names) yield* service.server(name, "connected")
        const ids = yield* Effect.forEach(names, (name) => service.asks(`use ${name}__book {}`))
        for (const id of ids) {
          assert.include(String((yield* service.task(id, "waiting_input"))["question"]), "Which table?")
        }
        yield* service.configure({ disabled: { url, disabled: true }, stays: { url } })
        const [gone, disabled] = yield* Effect.forEach(
          ids.slice(0, 2),
          (id) => Effect.map(service.task(id, "completed"), (task) => JSON.stringify(task))
        )
        assert.include(gone, "its server was removed or renamed")
        assert.include(disabled, "the tool server disabled is disabled")
        assert.strictEqual((yield* service.task(ids[2] ?? "", "waiting_input"))["status"], "waiting_input")
      }), timeout)
  }
)
