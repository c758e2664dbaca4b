import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { WatchedPage } from "./Browser.ts"
import type { ConsoleWorld, Test } from "./Console.ts"
import type { Hands } from "./Hands.ts"
import { hasNoForeignElements, showsOnlyText } from "./HostileChecks.ts"
import { givenHostileTexts } from "./HostileTexts.ts"
import { looksRight } from "./Looks.ts"

interface ScreenCase {
  readonly name: string
  readonly path: string
  /** Text that the screen shows once it is complete. */
  readonly shows: string
  /** What appears later than that. */
  readonly has?: string
}

const waits = "use ask_human {\"question\": \"Which **colour** should it have?\", \"choices\": [\"Red\", \"Blue\"]}"
const writes = "use write_file {\"path\": \"hello.txt\", \"content\": \"Hello\"}"
const subtasks = "use dispatch_subagent {\"task_description\": \"use wait {\\\"seconds\\\": 3000}\"}"

const remembers = "use memory_save {\"content\": \"Ada likes short reports\", \"tags\": [\"reports\"]}"
const brokenServer = { mcpServers: { broken: { command: "node", args: ["--eval", "process.exit(3)"] } } }

/** Tasks in different states, and every screen with what it shows of them. */
const givenTasks = ({ client }: ConsoleWorld) =>
  Effect.gen(function*() {
    const asking = yield* client.submit("asks", { message: waits })
    const finished = yield* client.submit("writes", { message: writes })
    const parent = yield* client.submit("subtasks", { message: subtasks })
    return [
      { name: "inbox", path: "", shows: "Your answer" },
      { name: "step", path: `tasks/${finished}?step=2`, shows: "Call of write_file" },
      { name: "tasks", path: "tasks", shows: "Needs an answer" },
      { name: "tasks-no-match", path: "tasks?q=nothing-like-this", shows: "No task matches" },
      { name: "task-asking", path: `tasks/${asking}`, shows: "Waits for an answer" },
      { name: "task-steps", path: `tasks/${finished}?view=steps`, shows: "newest first" },
      { name: "task-finished", path: `tasks/${finished}`, shows: "Result" },
      { name: "task-subtasks", path: `tasks/${parent}`, shows: "Waits for 1 subtask" },
      { name: "task-unknown", path: "tasks/01a20a93-a366-7584-9beb-4de13d01ae5a", shows: "could not be loaded" }
    ] as ReadonlyArray<ScreenCase>
  })

const givenOthers = ({ client }: ConsoleWorld) =>
  Effect.as(
    Effect.all([
      client.submit("remembers", { message: remembers }),
      client.submit("writes", { message: writes }),
      client.send("POST", "/api/mcp/configure", brokenServer)
    ]),
    [
      { name: "skills", path: "skills?query=Summarize%20this%20document", shows: "Matches" },
      { name: "skill", path: "skills/weekly-report-from-csv", shows: "About this skill" },
      { name: "tool-servers", path: "tool-servers", shows: "Not connected" },
      { name: "models", path: "models", shows: "Model of the settings" },
      { name: "models-connect", path: "models?connect=true", shows: "Test and save" },
      { name: "policy", path: "policy", shows: "Where no rule decides" },
      { name: "memory", path: "memory", shows: "Ada likes short reports" },
      { name: "memory-no-match", path: "memory?q=nothing-like-this", shows: "No memory matches" },
      { name: "files", path: "files", shows: "hello.txt" },
      { name: "file", path: "files?file=hello.txt", shows: "text/plain" },
      { name: "people-self-hosted", path: "people", shows: "Owner" },
      { name: "person-self-hosted", path: "people?user=default", shows: "Usage of the last 30 days" },
      { name: "channels-none", path: "channels", shows: "The team chat is not set up" },
      { name: "team-none", path: "team", shows: "This service has no team" },
      { name: "settings", path: "settings", shows: "Connect Slack" },
      { name: "system", path: "system", shows: "Settings in effect", has: "canvas" },
      { name: "no-screen", path: "nothing", shows: "There is no such screen" }
    ] as ReadonlyArray<ScreenCase>
  )

/** Counts the bytes that come over the network, with headers. */
const bytesReceived = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  let received = 0
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    received += encodedDataLength
  })
  await session.send("Network.enable")
  return () => received
}

/** The test of a first visit, for a service without tasks. How its screen looks is examined with the first run. */
export const firstVisit = (test: Test): void =>
  test(
    "is there with at most 250 kB, and a second visit transfers almost nothing",
    function*({ faults, origin, page }) {
      const received = yield* Effect.promise(() => bytesReceived(page))
      yield* Effect.promise(() => page.goto(`${origin}/`, { waitUntil: "load" }))
      yield* Effect.promise(() => page.getByText("No tasks yet").waitFor())
      assert.strictEqual(page.url(), `${origin}/console/`)
      assert.isAtMost(received(), 250_000)
      const before = received()
      yield* Effect.promise(() => page.reload({ waitUntil: "load" }))
      yield* Effect.promise(() => page.getByText("No tasks yet").waitFor())
      assert.isAtMost(received() - before, 20_000)
      assert.deepStrictEqual(faults, [])
    }
  )

/** Tests of every screen. */
export const screens = (test: Test): void => {
  const looks = function*({ open, page }: Hands & WatchedPage, cases: ReadonlyArray<ScreenCase>) {
    for (const { has, name, path, shows } of cases) {
      yield* open(path)
      yield* Effect.promise(() => page.getByText(shows).first().waitFor())
      if (has !== undefined) yield* Effect.promise(() => page.locator(has).first().waitFor())
      yield* looksRight(page, name)
    }
  }

  test(
    "is complete, accessible and of this origin on every screen about tasks, wide and narrow, light and dark",
    function*(given) {
      const { faults, open, page, press } = given
      yield* looks(given, yield* givenTasks(given))
      yield* open("tasks")
      yield* press("Filter")
      yield* looksRight(page, "tasks-filter")
      yield* Effect.promise(() => page.keyboard.press("Escape"))
      yield* press("Change all …")
      yield* looksRight(page, "tasks-change-all")
      // The service says 404 for the task that does not exist, and the browser reports it.
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("404")), [])
    }
  )

  test("is so on every other screen, too", function*(given) {
    yield* looks(given, yield* givenOthers(given))
    assert.deepStrictEqual(given.faults, [])
  })

  test("shows the words of others as text at every place", function*(world) {
    const { faults, page } = world
    for (const place of yield* givenHostileTexts(world)) yield* showsOnlyText(world, place)
    yield* Effect.promise(async () => {
      await page.getByRole("button", { name: "Search and commands" }).first().click()
      await page.getByPlaceholder("Search tasks, or type a command").fill("onerror")
      await page.getByRole("option", { name: /onerror/ }).first().waitFor()
    })
    yield* hasNoForeignElements(page, "the command menu")
    // The browser reports what the service does not find by such a name.
    assert.deepStrictEqual(faults.filter((fault) => !fault.includes("404")), [])
  })
}
