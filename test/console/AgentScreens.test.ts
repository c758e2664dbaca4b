import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { builtInNames } from "../../src/Tool/BuiltIns.ts"
import { until } from "../support/Processes.ts"
import { inConsole } from "./Console.ts"
import { looksRight } from "./Looks.ts"
import { operations } from "./Operations.ts"
import { toolServerForms } from "./ToolServerForms.ts"

const hostile = "# Title\n\n<img src=x onerror=\"document.title='run'\">\n\n![spy](https://example.com/spy.png)\n"

inConsole(
  "The console's screens about the agent and the service",
  (test) => {
    test(
      "upload a file, show it as text that can't run, and delete it",
      function*({ client, faults, load, open, page, press, sees }) {
        yield* open("files")
        yield* sees("No files yet")
        yield* sees("0 B of 5.4 GB")
        yield* looksRight(page, "files-none")
        yield* Effect.promise(() =>
          page.getByLabel("Files to upload").setInputFiles({
            name: "notes.md",
            mimeType: "text/markdown",
            buffer: Buffer.from(hostile)
          })
        )
        yield* press("notes.md")
        yield* Effect.promise(() => page.getByRole("dialog").getByRole("heading", { name: "Title" }).waitFor())
        assert.strictEqual(yield* Effect.promise(() => page.getByRole("dialog").locator("img").count()), 0)
        assert.include(yield* Effect.promise(() => page.title()), "Files")
        yield* Effect.promise(() => page.keyboard.press("Escape"))
        yield* press("Delete notes.md")
        yield* sees("No files yet")
        yield* press("Undo")
        yield* press("Delete notes.md")
        yield* sees("No files yet")
        // What has the name of what is about to be deleted is not deleted in its place.
        yield* Effect.promise(() =>
          page.getByLabel("Files to upload").setInputFiles({
            name: "notes.md",
            mimeType: "text/markdown",
            buffer: Buffer.from("The second one")
          })
        )
        yield* press("notes.md")
        yield* Effect.promise(() => page.getByRole("dialog").getByText("The second one").waitFor())
        yield* Effect.promise(() => page.keyboard.press("Escape"))
        yield* press("Delete notes.md")
        yield* sees("No files yet")
        // It is offered as long as it can be taken back, also while the pointer is on it.
        yield* Effect.promise(() => page.getByRole("button", { name: "Undo" }).hover())
        yield* Effect.promise(() => page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" }))
        yield* until(
          "the file is deleted",
          Effect.map(client.send("GET", "/files/default"), ({ body }) => JSON.stringify(body) === "[]")
        )
        yield* Effect.promise(() =>
          page.getByLabel("Files to upload").setInputFiles({
            name: "notes.md",
            mimeType: "text/markdown",
            buffer: Buffer.from("The third one")
          })
        )
        yield* press("Delete notes.md")
        yield* sees("No files yet")
        // Whoever leaves before it is sent has not taken it back.
        yield* load("files")
        yield* until(
          "the third one is deleted, too",
          Effect.map(client.send("GET", "/files/default"), ({ body }) => JSON.stringify(body) === "[]")
        )
        assert.deepStrictEqual(faults, [])
      }
    )

    test("show what is remembered as text, and delete it", function*({ client, faults, open, press, sees }) {
      yield* open("memory")
      yield* sees("No memories yet")
      const task = yield* client.submit("remembers", {
        message: "use memory_save {\"content\": \"Ada likes <b>short</b> reports\", \"tags\": [\"reports\"]}"
      })
      yield* until("the memory is saved", Effect.map(client.find(task), ({ status }) => status === "completed"))
      yield* open("memory?q=short")
      yield* sees("Ada likes <b>short</b> reports")
      yield* press("Delete this memory")
      yield* sees("No memory matches")
      assert.deepStrictEqual(faults, [])
    })

    test("change a skill, say what is wrong with it and what it lacks, and find it for a request", function*(
      { deployment, faults, follow, open, page, press, sees, type }
    ) {
      yield* open("skills")
      yield* press("New skill")
      yield* type("Name", "Not A Name")
      yield* type("Description", "Waters the office plants")
      yield* type("Tags", "plants")
      yield* type("Instructions", "# Watering")
      yield* Effect.promise(() => page.getByText("What it requires").click())
      yield* type("Programs", "watering-can")
      yield* looksRight(page, "skill-editor")
      yield* press("Save the skill")
      yield* sees("1 to 64 lower-case letters")
      yield* Effect.promise(() => page.reload())
      yield* press("New skill")
      yield* type("Name", "water-plants")
      yield* Effect.promise(() => page.getByRole("tab", { name: "Preview" }).click())
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("heading", { name: "Watering" }).waitFor())
      yield* press("Save the skill")
      yield* sees("Requirements are missing on this machine")
      assert.isTrue(existsSync(join(deployment.storage, "..", "skills", "water-plants", "SKILL.md")))
      yield* follow("Skills")
      yield* sees("Missing: watering-can")
      yield* type("A request to test", "Look after the plants")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      const first = page.getByRole("main").getByRole("listitem").filter({ hasText: "Matches" }).first()
      yield* Effect.promise(() => first.getByRole("link", { name: "water-plants" }).waitFor())
      // The browser reports the name that the service refused.
      assert.deepStrictEqual(faults.filter((fault) => !/40\d|422/.test(fault)), [])
    })

    toolServerForms(test)

    test("show every check with its fix, the workers, the history and the settings without secrets", function*(
      { client, faults, open, page, press, sees, type }
    ) {
      const task = yield* client.submit("ends", { message: "use list_directory {}" })
      yield* until("a task has ended", Effect.map(client.find(task), ({ status }) => status === "completed"))
      yield* open("system")
      yield* Effect.promise(() => page.getByRole("button", { name: "Copy the text about chat" }).waitFor())
      yield* Effect.promise(() => page.getByRole("columnheader", { name: "Shards" }).waitFor())
      yield* Effect.promise(() =>
        page.getByRole("img", { name: /^Tasks that ended over time/ }).locator("canvas").waitFor()
      )
      yield* press("7 days")
      yield* Effect.promise(() => page.waitForURL(/period=week/))
      yield* sees("7 days: ")
      yield* sees("LOG_LEVEL")
      yield* type("Find a setting", "DATABASE_URL")
      yield* sees("Secret is set")
      yield* press("Check again")
      yield* sees("Self-hosted")
      assert.notInclude(yield* Effect.promise(() => page.content()), "postgres://")
      assert.deepStrictEqual(faults, [])
    })

    test("show which skills and tools a new task gets, and keep what was typed and attached", function*(
      { faults, open, page, press, sees, type }
    ) {
      yield* open("tasks")
      yield* sees("New task")
      yield* Effect.promise(() => page.keyboard.press("c"))
      yield* type("What should the agent do?", "Summarize this document\n\nuse list_directory {}")
      yield* Effect.promise(() =>
        page.getByRole("list", { name: "Skills that match" }).getByRole("link", { name: "summarize-document" })
          .waitFor()
      )
      yield* sees(`${builtInNames.length} built-in tools`)
      yield* Effect.promise(() =>
        page.getByLabel("Files to attach").setInputFiles({
          name: "a.csv",
          mimeType: "text/csv",
          buffer: Buffer.from("a,b")
        })
      )
      yield* Effect.promise(() => page.getByRole("button", { name: "Remove a.csv" }).waitFor())
      yield* Effect.promise(() => page.getByText("Project, assignee, token budget").click())
      yield* type("Token budget", "1")
      yield* looksRight(page, "new-task")
      yield* press("Create task")
      yield* sees("The task was not created")
      yield* Effect.promise(() => page.reload())
      yield* sees("New task")
      yield* Effect.promise(() => page.keyboard.press("c"))
      yield* Effect.promise(() => page.getByRole("button", { name: "Remove a.csv" }).waitFor())
      yield* type("Token budget", "")
      yield* press("Create task")
      yield* Effect.promise(() => page.waitForURL(/\/console\/tasks\/[\da-f-]+/))
      // The browser reports the budget that the service refused.
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("400")), [])
    })

    test("make an agent, show what its tasks have, and try it", function*(
      { client, faults, open, page, press, sees, type }
    ) {
      yield* open("agents")
      yield* sees("weekly-report")
      yield* press("New agent")
      yield* type("Name", "lister")
      yield* type("Description", "Lists folders")
      yield* type("Instructions", "# Listing\n\nList what is there.")
      yield* Effect.promise(() => page.getByText("Tools, skills, limits, what it gets").click())
      yield* type("Tools", "list_directory, Bash")
      yield* type("Model calls", "many")
      yield* press("Save the agent")
      yield* sees("Must be a number")
      yield* type("Model calls", "5")
      yield* Effect.promise(() => page.getByText("Preview: its tools and system prompt").click())
      yield* sees("Tools (1)")
      yield* looksRight(page, "agent-editor")
      yield* press("Save the agent")
      yield* sees("tools: there is no tool Bash here.")
      yield* sees("No task has used it yet.")
      yield* looksRight(page, "agent")

      yield* press("Try it")
      yield* type("What should the agent do?", "use list_directory {}\n\nuse write_file {}")
      yield* press("Create task")
      yield* Effect.promise(() => page.waitForURL(/\/console\/tasks\/[\da-f-]+/))
      yield* sees("there is no tool \"write_file\"")
      const made = yield* client.send("GET", "/tasks?agent=lister")
      assert.include(JSON.stringify(made.body), "\"max_iterations\":5")
      yield* open("agents/lister")
      yield* sees("(now): 1 task")
      assert.deepStrictEqual(faults, [])
    })

    operations(test)
  },
  Effect.succeed({
    AGENT_MAX_SKILLS: 3,
    SECRETS_KEY: "k".repeat(32),
    SEND_MAIL_TO: "example.org",
    WEBHOOK_SECRET_SIGNED_SHOP: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    WEBHOOK_SCHEME_SIGNED_SHOP: "standard"
  })
)
