import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { processTest } from "../support/Deployment.ts"
import { until } from "../support/Processes.ts"
import { browserNeed, consoleNeed, openPage } from "./Browser.ts"
import { makeWorld } from "./Console.ts"

/** A world and a page of it, which shows this screen. */
const openScreen = (path: string) =>
  Effect.gen(function*() {
    const world = yield* makeWorld()
    const opened = yield* openPage(world.browser, world.origin)
    yield* Effect.promise(() => opened.page.goto(`${world.origin}/console/${path}`))
    return { ...world, ...opened }
  })

const hostile = "# Title\n\n<img src=x onerror=\"document.title='run'\">\n\n![spy](https://example.com/spy.png)\n"

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("The console's screens about the agent")),
  () => {
    processTest("upload a file, show it as text that can't run, and delete it", function*() {
      const { faults, page } = yield* openScreen("files")
      yield* Effect.promise(() => page.getByText("No files yet").waitFor())
      yield* Effect.promise(() =>
        page.getByLabel("Files to upload").setInputFiles({
          name: "notes.md",
          mimeType: "text/markdown",
          buffer: Buffer.from(hostile)
        })
      )
      yield* Effect.promise(() => page.getByRole("button", { name: "notes.md", exact: true }).click())
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("heading", { name: "Title" }).waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("dialog").locator("img").count()), 0)
      assert.include(yield* Effect.promise(() => page.title()), "Files")
      yield* Effect.promise(() => page.keyboard.press("Escape"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Delete notes.md" }).click())
      yield* Effect.promise(() => page.getByRole("button", { name: "Delete the file" }).click())
      yield* Effect.promise(() => page.getByText("No files yet").waitFor())
      assert.deepStrictEqual(faults, [])
    })

    processTest("show what is remembered as text, and delete it", function*() {
      const { client, faults, origin, page } = yield* openScreen("memory")
      yield* Effect.promise(() => page.getByText("Nothing is remembered yet").waitFor())
      const task = yield* client.submit("remembers", {
        message: "use memory_save {\"content\": \"Ada likes <b>short</b> reports\", \"tags\": [\"reports\"]}"
      })
      yield* until("the memory is saved", Effect.map(client.find(task), ({ status }) => status === "completed"))
      yield* Effect.promise(() => page.goto(`${origin}/console/memory?q=short`))
      yield* Effect.promise(() => page.getByText("Ada likes <b>short</b> reports").waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Delete this memory" }).click())
      yield* Effect.promise(() => page.getByRole("button", { name: "Delete the memory" }).click())
      yield* Effect.promise(() => page.getByText("No memory matches").waitFor())
      assert.deepStrictEqual(faults, [])
    })

    processTest("change a skill, say what is wrong with it, and find it for a request", function*() {
      const { deployment, faults, page } = yield* openScreen("skills")
      yield* Effect.promise(() => page.getByRole("button", { name: "New skill" }).click())
      yield* Effect.promise(() => page.getByLabel("Name").fill("Not A Name"))
      yield* Effect.promise(() => page.getByLabel("Description").fill("Waters the office plants"))
      yield* Effect.promise(() => page.getByLabel("Tags").fill("plants"))
      yield* Effect.promise(() => page.getByLabel("Instructions").fill("# Watering"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Save the skill" }).click())
      yield* Effect.promise(() => page.getByText("1 to 64 lower-case letters").first().waitFor())
      yield* Effect.promise(() => page.getByLabel("Name").fill("water-plants"))
      yield* Effect.promise(() => page.getByRole("tab", { name: "Preview" }).click())
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("heading", { name: "Watering" }).waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Save the skill" }).click())
      yield* Effect.promise(() => page.getByText("About this skill").waitFor())
      assert.isTrue(existsSync(join(deployment.storage, "..", "skills", "water-plants", "SKILL.md")))
      yield* Effect.promise(() => page.getByRole("link", { name: "Skills" }).click())
      yield* Effect.promise(() => page.getByLabel("A request to test").fill("Look after the plants"))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      const first = page.getByRole("main").getByRole("listitem").filter({ hasText: "Matches" }).first()
      yield* Effect.promise(() => first.getByRole("link", { name: "water-plants" }).waitFor())
      // The browser reports the name that the service refused.
      assert.deepStrictEqual(faults.filter((fault) => !/40\d|422/.test(fault)), [])
    })

    processTest("configure tool servers, and show the error of one that fails", function*() {
      const { page } = yield* openScreen("tool-servers")
      yield* Effect.promise(() => page.getByText("No tool servers yet").waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Configure" }).click())
      yield* Effect.promise(() => page.getByLabel("Configuration as JSON").fill("{"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Save and connect" }).click())
      yield* Effect.promise(() => page.getByText("This is not JSON").waitFor())
      const broken = { mcpServers: { broken: { command: "node", args: ["--eval", "process.exit(3)"] } } }
      yield* Effect.promise(() => page.getByLabel("Configuration as JSON").fill(JSON.stringify(broken)))
      yield* Effect.promise(() => page.getByRole("button", { name: "Save and connect" }).click())
      yield* Effect.promise(() => page.getByRole("heading", { name: "broken" }).waitFor())
      yield* Effect.promise(() => page.getByText("Not connected", { exact: true }).waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Copy the error of broken" }).waitFor())
    })

    processTest("show every check with its fix, and the workers", function*() {
      const { faults, page } = yield* openScreen("system")
      yield* Effect.promise(() => page.getByRole("button", { name: "Copy the text about tool servers" }).waitFor())
      yield* Effect.promise(() => page.getByText("MCP_CONFIG_FILE").waitFor())
      yield* Effect.promise(() => page.getByRole("columnheader", { name: "Shards" }).waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Check again" }).click())
      yield* Effect.promise(() => page.getByText("Self-hosted").waitFor())
      assert.deepStrictEqual(faults, [])
    })
  }
)
