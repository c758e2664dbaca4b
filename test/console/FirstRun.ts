import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { makeModelServer } from "../support/ModelServer.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

const request = "Which of our customers wrote twice this week?"

/** The test of a first run, for a service that nobody has used. The ones after it have no model, either. */
export const firstRun = (test: Test): void => {
  test(
    "leads from a request in plain words to a connected model, and to its answer",
    function*({ client, faults, open, page, press, sees, type }) {
      const server = yield* makeModelServer({ strict: false })
      yield* Effect.addFinalizer(() => Effect.orDie(client.send("PUT", "/api/models/default", { default: "settings" })))
      yield* open("")
      const steps = page.getByRole("region", { name: "First steps" })
      yield* Effect.promise(() => steps.getByText("0 of 4").waitFor())
      yield* looksRight(page, "first-run")
      yield* Effect.promise(() => steps.getByRole("button", { name: "New task" }).click())
      yield* type("What should the agent do?", request)
      yield* sees("No language model is connected, so this would not be understood.")
      yield* looksRight(page, "first-run-request")
      yield* press("Connect a model")
      yield* Effect.promise(() => page.getByLabel("Provider").selectOption("openai-compatible"))
      yield* type("Address", server.url)
      yield* press("List models")
      yield* sees("The provider offers 1 model.")
      yield* type("Model", "fake-r0")
      yield* looksRight(page, "first-run-model")
      yield* press("Test and save")
      const message = page.getByLabel("What should the agent do?", { exact: true })
      yield* Effect.promise(() => message.waitFor())
      assert.strictEqual(yield* Effect.promise(() => message.inputValue()), request)
      yield* press("Create task")
      yield* sees("Final answer after 0 tool results.")
      yield* open("")
      yield* Effect.promise(() => steps.getByText("2 of 4").waitFor())
      yield* looksRight(page, "first-run-half")
      yield* press("Dismiss the first steps")
      yield* Effect.promise(() => steps.waitFor({ state: "detached" }))
      yield* Effect.promise(() => page.reload())
      yield* sees("Results")
      assert.strictEqual(yield* Effect.promise(() => steps.count()), 0)
      assert.deepStrictEqual(faults, [])
    }
  )
}
