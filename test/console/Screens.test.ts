import { assert, describe } from "@effect/vitest"
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { processTest } from "../support/Deployment.ts"
import { browserNeed, consoleNeed, openPage } from "./Browser.ts"
import { type ConsoleWorld, makeWorld } from "./Console.ts"

/** Look at these pictures after a change: they are what people see. */
const pictures = fileURLToPath(new URL("../../.cache/screenshots/", import.meta.url))

interface ScreenCase {
  readonly name: string
  readonly path: string
  /** Text that the screen shows once it is complete. */
  readonly shows: string
}

const waits = "use ask_human {\"question\": \"Which **colour** should it have?\", \"choices\": [\"Red\", \"Blue\"]}"
const writes = "use write_file {\"path\": \"hello.txt\", \"content\": \"Hello\"}"
const subtasks = "use dispatch_subagent {\"task_description\": \"use wait {\\\"seconds\\\": 3000}\"}"

const remembers = "use memory_save {\"content\": \"Ada likes short reports\", \"tags\": [\"reports\"]}"
const brokenServer = { mcpServers: { broken: { command: "node", args: ["--eval", "process.exit(3)"] } } }

/** Tasks in different states, and every screen with what it shows of them. */
const givenScreens = ({ client }: ConsoleWorld) =>
  Effect.gen(function*() {
    yield* client.submit("remembers", { message: remembers })
    yield* client.send("POST", "/api/mcp/configure", brokenServer)
    const asking = yield* client.submit("asks", { message: waits })
    const finished = yield* client.submit("writes", { message: writes })
    const parent = yield* client.submit("subtasks", { message: subtasks })
    return [
      { name: "inbox", path: "", shows: "Your answer" },
      { name: "step", path: `tasks/${finished}?step=2`, shows: "Call of write_file" },
      { name: "tasks", path: "tasks", shows: "Needs an answer" },
      { name: "tasks-no-match", path: "tasks?q=nothing-like-this", shows: "No task matches" },
      { name: "task-asking", path: `tasks/${asking}`, shows: "Your answer" },
      { name: "task-finished", path: `tasks/${finished}`, shows: "Result" },
      { name: "task-subtasks", path: `tasks/${parent}`, shows: "Waits for 1 subtask" },
      { name: "task-unknown", path: "tasks/01a20a93-a366-7584-9beb-4de13d01ae5a", shows: "could not be loaded" },
      { name: "skills", path: "skills?query=Summarize%20this%20document", shows: "Matches" },
      { name: "skill", path: "skills/weekly-report-from-csv", shows: "About this skill" },
      { name: "tool-servers", path: "tool-servers", shows: "Not connected" },
      { name: "memory", path: "memory", shows: "Ada likes short reports" },
      { name: "memory-no-match", path: "memory?q=nothing-like-this", shows: "No memory matches" },
      { name: "files", path: "files", shows: "hello.txt" },
      { name: "file", path: "files?file=hello.txt", shows: "text/plain" },
      { name: "people-self-hosted", path: "people", shows: "Owner" },
      { name: "person-self-hosted", path: "people?user=default", shows: "Usage of the last 30 days" },
      { name: "channels-none", path: "channels", shows: "The team chat is not set up" },
      { name: "team-none", path: "team", shows: "This service has no team" },
      { name: "system", path: "system", shows: "Settings in effect" },
      { name: "no-screen", path: "nothing", shows: "There is no such screen" }
    ] satisfies ReadonlyArray<ScreenCase>
  })

const looks = [
  { look: "light", colorScheme: "light", viewport: { width: 1360, height: 850 } },
  { look: "dark", colorScheme: "dark", viewport: { width: 1360, height: 850 } },
  { look: "light-narrow", colorScheme: "light", viewport: { width: 390, height: 844 } },
  { look: "dark-narrow", colorScheme: "dark", viewport: { width: 390, height: 844 } }
] as const

/** Runs axe in a world of its own, because the page's policy forbids scripts that are put into it. */
const violationsOn = (page: Page): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate<AxeResults>("axe.run()")
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })

/** Nothing may need to be scrolled sideways. */
const overflowOf = (page: Page): Effect.Effect<number> =>
  Effect.promise(() => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"))

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("Every screen of the console")),
  () => {
    processTest("is complete, accessible and of this origin, in light and dark, wide and narrow", function*() {
      const world = yield* makeWorld()
      mkdirSync(pictures, { recursive: true })
      const screens = yield* givenScreens(world)
      for (const { look, ...options } of looks) {
        const { faults, page } = yield* openPage(world.browser, world.origin, options)
        for (const { name, path, shows } of screens) {
          yield* Effect.promise(() => page.goto(`${world.origin}/console/${path}`))
          yield* Effect.promise(() => page.getByText(shows).first().waitFor())
          yield* Effect.promise(() => page.screenshot({ path: `${pictures}${name}-${look}.png` }))
          assert.deepStrictEqual(yield* violationsOn(page), [], `${name} ${look}`)
          assert.isAtMost(yield* overflowOf(page), 0, `${name} ${look} is wider than the window`)
        }
        // The service says 404 for the task that does not exist, and the browser reports it.
        assert.deepStrictEqual(faults.filter((fault) => !fault.includes("404")), [])
      }
    })

    processTest("is there with at most 250 kB, and a second visit transfers almost nothing", function*() {
      const { browser, origin } = yield* makeWorld()
      const first = yield* openPage(browser, origin)
      yield* Effect.promise(() => first.page.goto(`${origin}/`, { waitUntil: "load" }))
      yield* Effect.promise(() => first.page.getByText("No tasks yet").waitFor())
      assert.strictEqual(first.page.url(), `${origin}/console/`)
      assert.isAtMost(first.received(), 250_000)
      const before = first.received()
      yield* Effect.promise(() => first.page.reload({ waitUntil: "load" }))
      yield* Effect.promise(() => first.page.getByText("No tasks yet").waitFor())
      assert.isAtMost(first.received() - before, 20_000)
      assert.deepStrictEqual(first.faults, [])
    })
  }
)
