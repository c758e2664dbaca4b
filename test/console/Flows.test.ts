import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { until } from "../support/Processes.ts"
import { inConsole } from "./Console.ts"
import { givenOverBudget, givenWaitingTasks, overBudgetTask } from "./TaskRows.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

const asks = use("ask_human", { question: "Which colour?", choices: ["Red", "Blue"] })

/** With code in a language that has colours. */
const notes = "# Notes\n\nOf today\n\n```json\n{\"count\": 1}\n```\n"

const waits = use("wait", { seconds: 600 })

inConsole("A person in the console", (test) => {
  test(
    "comes from the first start to a finished task, and keeps the draft of another",
    function*({ faults, origin, page, press, sees, type }) {
      yield* Effect.promise(() => page.goto(`${origin}/`))
      yield* press("New task")
      yield* type("What should the agent do?", "Later")
      yield* press("Close")
      yield* press("Try it")
      yield* press("Create task")
      yield* sees("Tool calls made: 2")
      yield* sees("Completed")
      yield* press("New task")
      const draft = page.getByLabel("What should the agent do?", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => draft.inputValue()), "Later")
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "is told that a token budget is no number, and limits the task to the one that is",
    function*({ client, deployment, faults, open, page, press, sees, type }) {
      yield* open("tasks")
      yield* press("New task")
      yield* type("What should the agent do?", "Count to ten")
      yield* Effect.promise(() => page.getByText("Project, assignee, token budget").click())
      yield* type("Token budget", "10,000")
      yield* sees("Must be a whole number")
      const create = page.getByRole("button", { name: "Create task" })
      assert.isTrue(yield* Effect.promise(() => create.isDisabled()))
      yield* type("Token budget", "10000")
      yield* Effect.promise(() => create.click())
      yield* Effect.promise(() => page.waitForURL(/tasks\/[\da-f-]{36}$/))
      const { body } = yield* client.send("GET", `/task/${page.url().split("/").at(-1)}`)
      assert.deepInclude(body, { token_budget: 10_000 })
      yield* givenOverBudget(deployment.url)
      yield* open(`tasks/${overBudgetTask}`)
      yield* press("Start again with a larger budget")
      const again = page.getByRole("dialog").getByLabel("What should the agent do?", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => again.inputValue()), "Count to twelve")
      const budget = page.getByRole("dialog").getByLabel("Token budget", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => budget.inputValue()), "8000")
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "answers a question in the inbox, finds an unsent answer after a reload, and continues the task with one that came too late",
    function*({ client, faults, open, page, press, sees, type }) {
      const id = yield* client.submit("asks", { message: `${use("list_directory", { path: "." })}\n\n${asks}` })
      yield* open("?kind=question")
      const answer = page.getByLabel("Your answer")
      yield* Effect.promise(() => page.getByRole("list", { name: "Last steps" }).getByText("list_directory:").waitFor())
      yield* Effect.promise(() => answer.fill("Neither of both"))
      yield* Effect.promise(() => page.reload())
      assert.strictEqual(yield* Effect.promise(() => answer.inputValue()), "Neither of both")
      assert.match(yield* Effect.promise(() => page.title()), /^\(\d+\) Inbox/)
      yield* press("Answer")
      yield* Effect.promise(() => answer.waitFor({ state: "detached" }))
      yield* open(`tasks/${id}`)
      yield* sees("Completed")
      yield* sees("Neither of both")
      const late = yield* client.submit("late", { message: asks })
      yield* open(`tasks/${late}`)
      yield* type("Your answer", "Green, please")
      yield* client.send("POST", `/task/${late}/message`, { message: "Blue" })
      yield* sees("Your answer was not sent: the task is finished.")
      yield* press("Continue with it")
      const request = page.getByRole("dialog", { name: "Continue the task" }).getByRole("textbox").first()
      yield* until("the text", Effect.promise(async () => await request.inputValue() === "Green, please"))
      assert.deepStrictEqual(faults, [])
    }
  )

  test("sees three subtasks at work, each with its own steps", function*({ client, faults, open, page, sees }) {
    const dispatch = ["one", "two", "three"].map((name) =>
      use("dispatch_subagent", { task_description: use("write_file", { path: `${name}.txt`, content: name }) })
    )
    const id = yield* client.submit("three", { message: dispatch.join("\n") })
    yield* open(`tasks/${id}`)
    const unfold = page.getByRole("button", { name: /^Steps of use write_file/ })
    yield* until("three subtasks", Effect.promise(async () => await unfold.count() === 3))
    yield* Effect.promise(() => unfold.first().click())
    yield* Effect.promise(() => page.getByRole("button", { name: /Wrote/ }).first().click())
    yield* sees("Result of write_file")
    assert.match(page.url(), /step=\d+&of=/)
    yield* sees("Completed")
    assert.deepStrictEqual(faults, [])
  })

  test(
    "steers a task, cancels it with a reason, retries, archives and deletes it",
    function*({ client, faults, open, page, press, sees, type }) {
      const id = yield* client.submit("waits", { message: waits })
      yield* open(`tasks/${id}`)
      yield* sees("Sleeps until")
      yield* type("Message to the agent", use("wait", { seconds: 500 }))
      yield* press("Send")
      yield* sees("default sent a message in the console")
      yield* press("Cancel")
      yield* type("Reason", "not needed")
      // A click beside the dialog keeps it, with what was typed.
      yield* Effect.promise(() => page.mouse.click(5, 600))
      yield* press("Cancel the task")
      yield* sees("Cancelled: not needed")
      yield* Effect.promise(() => page.getByRole("main").getByText("Cancelled", { exact: true }).first().waitFor())
      yield* press("Retry")
      yield* press("Cancel")
      yield* press("Cancel the task")
      yield* press("Archive")
      yield* press("Restore")
      yield* press("Archive")
      yield* press("Delete")
      yield* press("Delete the task")
      yield* Effect.promise(() => page.waitForURL(/\/console\/tasks$/))
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("404")), [])
    }
  )

  test(
    "uploads a file with a task, and previews and downloads what the task attached",
    function*({ faults, open, page, press, sees, type }) {
      yield* open("tasks")
      yield* press("New task")
      yield* type("What should the agent do?", use("attach_file", { path: "notes.md" }))
      yield* Effect.promise(() =>
        page.getByLabel("Files to attach").setInputFiles({
          name: "notes.md",
          mimeType: "text/markdown",
          buffer: Buffer.from(notes)
        })
      )
      yield* Effect.promise(() => page.getByRole("button", { name: "Remove notes.md" }).waitFor())
      yield* press("Create task")
      yield* sees("Completed")
      yield* press("notes.md")
      yield* Effect.promise(() =>
        page.getByRole("dialog").getByRole("heading", { name: "Notes", exact: true }).waitFor()
      )
      yield* Effect.promise(() => page.getByRole("dialog").locator("pre span").getByText("1").waitFor())
      yield* press("Close")
      const [saved] = yield* Effect.promise(() =>
        Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download notes.md" }).click()])
      )
      const content = yield* Effect.promise(async () => readFile(await saved.path(), "utf8"))
      assert.strictEqual(content, notes)
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "filters by a value of a cell, and finds the filter in the address",
    function*({ client, faults, open, page, press, sees }) {
      yield* client.send("POST", "/webhook/shop", { order: 7 })
      yield* open("tasks")
      yield* Effect.promise(() => page.getByRole("cell").getByRole("button", { name: "shop", exact: true }).click())
      yield* Effect.promise(() => page.waitForURL(/webhook_type=shop/))
      yield* until("one row", Effect.promise(async () => await page.getByRole("row").count() === 2))
      yield* press("Filter")
      yield* press("Created today")
      yield* Effect.promise(() => page.waitForURL(/created_from=/))
      yield* Effect.promise(() => page.getByRole("row").nth(1).getByRole("link").click())
      yield* Effect.promise(() => page.getByRole("main").getByRole("link", { name: "shop", exact: true }).waitFor())
      yield* sees("Payload of the webhook")
      yield* open("tasks?webhook_type=shop&created_from=yesterday")
      yield* until("one row", Effect.promise(async () => await page.getByRole("row").count() === 2))
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "cancels more tasks than the list counts and no other, and archives finished ones, which then leave the list",
    function*({ client, deployment, faults, load, open, page, press, sees }) {
      const kept = yield* client.submit("kept", { message: asks })
      yield* givenWaitingTasks(deployment.url, 5_000)
      yield* open("tasks?q=Many%20number")
      yield* sees("1000+")
      yield* press("Change all …")
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Choose an action" }).isDisabled()))
      yield* Effect.promise(() => page.getByRole("radio", { name: /^Cancel/ }).check())
      yield* sees("More than 999 tasks now")
      yield* press("Cancel all")
      yield* Effect.promise(() =>
        page.getByText("Finished: 5000 of 5000 tasks cancelled.").waitFor({ timeout: 60_000 })
      )
      yield* press("Close")
      yield* Effect.promise(() => page.getByRole("button", { name: /^Failed\s*1000\+$/ }).waitFor())
      assert.strictEqual((yield* client.find(kept)).status, "waiting_input")
      for (const name of ["one", "two"]) {
        const id = yield* client.submit(`archived ${name}`, { message: `Bygone ${name}` })
        yield* until(`${name} is completed`, Effect.map(client.find(id), ({ status }) => status === "completed"))
      }
      const archive = page.getByRole("radio", { name: /^Archive/ })
      yield* open("tasks?q=Bygone")
      yield* press("Change all …")
      yield* Effect.promise(() => archive.check())
      yield* sees("Unfinished tasks are cancelled first")
      yield* load("tasks?q=Bygone&status=completed")
      yield* press("Change all …")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("radio").count()), 1)
      yield* Effect.promise(() => archive.check())
      yield* sees("Archive: 2 tasks now")
      yield* press("Archive all")
      yield* sees("Finished: 2 of 2 tasks archived.")
      yield* press("Close")
      yield* sees("No task matches")
      assert.deepStrictEqual(faults, [])
    }
  )
})
