import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { processTest } from "../support/Deployment.ts"
import { start } from "../support/Processes.ts"
import { browserNeed, consoleNeed, openPage } from "./Browser.ts"
import { makeWorld } from "./Console.ts"

const shown = (page: Page, text: string) => Effect.promise(() => page.getByText(text).first().waitFor())

const press = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).first().click())

const asks = "use ask_human {\"question\": \"Which colour?\", \"choices\": [\"Red\", \"Blue\"]}"

/** What would run, load or navigate if it were more than text. */
const hostile = [
  "<img src=x onerror=\"document.title='run'\">",
  "<script>document.title='run'</script>",
  "![pixel](https://evil.example/pixel.png)",
  "[click](javascript:document.title='run')",
  "<iframe src=\"https://evil.example\"></iframe>"
].join("\n\n")

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("A person in the console")),
  () => {
    processTest("comes from the first start to a finished task", function*() {
      const { browser, origin } = yield* makeWorld()
      const { faults, page } = yield* openPage(browser, origin)
      yield* Effect.promise(() => page.goto(`${origin}/`))
      yield* press(page, "Try it")
      yield* press(page, "Create task")
      yield* shown(page, "Tool calls made: 2")
      yield* shown(page, "Completed")
      assert.deepStrictEqual(faults, [])
    })

    processTest("answers a question, and finds an unsent answer after a reload", function*() {
      const { browser, client, origin } = yield* makeWorld()
      const id = yield* client.submit("asks", { message: asks })
      const { faults, page } = yield* openPage(browser, origin)
      yield* Effect.promise(() => page.goto(`${origin}/console/`))
      const answer = page.getByLabel("Your answer")
      yield* Effect.promise(() => answer.fill("Neither of both"))
      yield* Effect.promise(() => page.reload())
      assert.strictEqual(yield* Effect.promise(() => answer.inputValue()), "Neither of both")
      yield* press(page, "Answer")
      yield* Effect.promise(() => answer.waitFor({ state: "detached" }))
      yield* Effect.promise(() => page.goto(`${origin}/console/tasks/${id}`))
      yield* shown(page, "Completed")
      yield* shown(page, "Neither of both")
      assert.deepStrictEqual(faults, [])
    })

    processTest("steers a task, cancels it with a reason and retries it", function*() {
      const { browser, client, origin } = yield* makeWorld()
      const id = yield* client.submit("waits", { message: "use wait {\"seconds\": 600}" })
      const { faults, page } = yield* openPage(browser, origin)
      yield* Effect.promise(() => page.goto(`${origin}/console/tasks/${id}`))
      yield* Effect.promise(() => page.getByLabel("Message to the agent").fill("use wait {\"seconds\": 500}"))
      yield* press(page, "Send")
      yield* shown(page, "A user sent a message")
      yield* press(page, "Cancel")
      yield* Effect.promise(() => page.getByLabel("Reason").fill("not needed"))
      yield* press(page, "Cancel the task")
      yield* shown(page, "Cancelled: not needed")
      yield* press(page, "Retry")
      yield* Effect.promise(() => page.getByRole("button", { name: "Cancel", exact: true }).waitFor())
      assert.deepStrictEqual(faults, [])
    })

    processTest("sees that the service was killed, and then what came after, without a reload", function*() {
      const { browser, client, deployment, origin, ports, service } = yield* makeWorld()
      const { page } = yield* openPage(browser, origin)
      yield* client.submit("before", { message: "use list_directory {}" })
      yield* Effect.promise(() => page.goto(`${origin}/console/tasks`))
      yield* Effect.promise(() => page.getByRole("row").nth(1).waitFor())
      yield* service.signal("SIGKILL")
      yield* shown(page, "Reconnecting")
      yield* start("all", { ...deployment.environment, ...ports.environment })
      yield* Effect.promise(() => page.getByText("Reconnecting").waitFor({ state: "detached" }))
      yield* client.submit("after", { message: asks })
      yield* Effect.promise(() => page.getByRole("row").nth(2).waitFor())
      yield* shown(page, "Which colour?")
    })

    processTest("cancels everything that a filter matches", function*() {
      const { browser, client, origin } = yield* makeWorld()
      for (const name of ["a", "b", "c"]) yield* client.submit(name, { message: "use wait {\"seconds\": 600}" })
      yield* client.submit("asks", { message: asks })
      const { faults, page } = yield* openPage(browser, origin)
      yield* Effect.promise(() => page.goto(`${origin}/console/tasks?q=wait`))
      yield* Effect.promise(() => page.getByRole("row").nth(3).waitFor())
      yield* press(page, "Change all …")
      yield* press(page, "Cancel all")
      yield* shown(page, "Finished: 3 tasks of 3 changed.")
      yield* press(page, "Close")
      yield* Effect.promise(() => page.getByRole("button", { name: /^Failed\s*3$/ }).waitFor())
      yield* Effect.promise(() => page.goto(`${origin}/console/tasks`))
      yield* Effect.promise(() => page.getByRole("button", { name: /^Needs an answer\s*1$/ }).waitFor())
      assert.deepStrictEqual(faults, [])
    })

    processTest("reads hostile text as text", function*() {
      const { browser, client, origin } = yield* makeWorld()
      const id = yield* client.submit("hostile", {
        message: `${hostile}\n\nuse ask_human ${JSON.stringify({ question: hostile })}`
      })
      const { faults, page } = yield* openPage(browser, origin)
      for (const path of ["", "tasks", `tasks/${id}`, `tasks/${id}?step=2`]) {
        yield* Effect.promise(() => page.goto(`${origin}/console/${path}`))
        yield* shown(page, "onerror")
        assert.notStrictEqual(yield* Effect.promise(() => page.title()), "run")
        assert.strictEqual(yield* Effect.promise(() => page.locator("main :is(img, iframe, script)").count()), 0)
        assert.strictEqual(yield* Effect.promise(() => page.locator("a[href^=javascript]").count()), 0)
      }
      assert.deepStrictEqual(faults, [])
    })
  }
)
