import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { query } from "../support/Database.ts"
import { until } from "../support/Processes.ts"
import { bulkChanges } from "./BulkChanges.ts"
import { inConsole } from "./Console.ts"
import { decisions } from "./Decisions.ts"
import { lists } from "./Lists.ts"
import { looksRight } from "./Looks.ts"
import { taskFiles } from "./TaskFiles.ts"
import { givenOverBudget, overBudgetTask } from "./TaskRows.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

const asks = use("ask_human", { question: "Which colour?", choices: ["Red", "Blue"] })

const waits = use("wait", { seconds: 600 })

inConsole("A person in the console", (test) => {
  test(
    "comes from the first start to a finished task, and keeps the draft of another",
    function*({ deployment, faults, origin, page, press, sees, type }) {
      yield* Effect.promise(() => page.goto(`${origin}/`))
      yield* press("New task")
      yield* type("What should the agent do?", "Later")
      yield* press("Close")
      yield* press("Try it")
      yield* press("Create task")
      yield* sees("Tool calls made: 2")
      yield* sees("Completed")
      const watched = "select watched_until > created_at as is_live from tasks join actors on task_id = id"
      assert.deepStrictEqual(yield* query(deployment.url, watched), [{ is_live: true }])
      yield* press("New task")
      const draft = page.getByLabel("What should the agent do?", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => draft.inputValue()), "Later")
      assert.deepStrictEqual(faults, [])
    }
  )

  lists(test)

  test(
    "is told that a token budget is no number, and limits the task to the one that is",
    function*({ client, deployment, faults, open, page, press, sees, type }) {
      yield* open("tasks")
      yield* press("New task")
      yield* type("What should the agent do?", `Count to ten\nand back\n\n${use("list_directory", {})}`)
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
      // The lines of the request stay apart, as they were typed.
      const request = page.getByRole("region", { name: "Request" })
      yield* Effect.promise(() => request.locator("br").first().waitFor({ state: "attached" }))
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
    "answers a question in the inbox, finds an unsent answer after a reload, and goes on with one that came too late",
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
      // The text stays where it was typed, and now goes on with the task.
      const followUp = page.getByLabel("Follow-up", { exact: true })
      yield* until("the text", Effect.promise(async () => await followUp.inputValue() === "Green, please"))
      yield* press("Send")
      const requests = page.getByRole("region", { name: "Request" })
      yield* until("both requests", Effect.promise(async () => await requests.count() === 2))
      assert.notInclude(page.url(), late)
      yield* until("it is done", Effect.promise(async () => await page.getByText("Completed").count() === 3))
      // The first task leads to what came after it, too.
      yield* open(`tasks/${late}`)
      yield* sees("Green, please")
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "reads at which limit a task was stopped, and lets it go on with more model calls and with its whole conversation",
    function*({ client, faults, open, page, press, sees, type }) {
      const lists = Array.from({ length: 12 }, () => use("list_directory", { path: "." }))
      const id = yield* client.submit("stopped", { message: lists.join("\n\n") })
      yield* until("it is stopped", Effect.map(client.find(id), ({ status }) => status === "completed"))
      yield* open("tasks")
      yield* Effect.promise(() => page.getByRole("button", { name: /^Completed or stopped/ }).click())
      yield* sees("Stopped at its limit")
      yield* open(`tasks/${id}`)
      yield* sees("Result so far")
      const calls = page.getByLabel("More model calls", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => calls.inputValue()), "20")
      yield* Effect.promise(() => calls.fill("30"))
      yield* looksRight(page, "task-stopped")
      yield* press("Go on")
      yield* sees("Go on.")
      const last = Effect.map(client.send("GET", `/tasks?continued_from=${id}`), ({ body }) => body)
      const [next] = (yield* last) as ReadonlyArray<{ readonly id: string; readonly max_iterations: number }>
      assert.strictEqual(next?.max_iterations, 30)
      const unread = Effect.map(
        client.send("GET", "/users/default/notifications?unread=true"),
        ({ body }) => (body as ReadonlyArray<{ readonly task_id: string }>).some(({ task_id }) => task_id === id)
      )
      yield* until("what is gone on from is seen", Effect.map(unread, (isThere) => !isThere))
      const followUp = page.getByLabel("Follow-up", { exact: true })
      yield* Effect.promise(() => followUp.waitFor())
      yield* type("Follow-up", "And now in short")
      yield* sees("No language model is connected, so this would not be understood.")
      yield* press("Go on with the whole conversation")
      const requests = page.getByRole("region", { name: "Request" })
      yield* until("three requests", Effect.promise(async () => await requests.count() === 3))
      const { body } = yield* client.send("GET", `/tasks?continued_from=${next?.id ?? ""}`)
      assert.strictEqual((body as ReadonlyArray<unknown>).length, 1)
      assert.deepStrictEqual(faults, [])
    }
  )

  test("sees three subtasks at work, each with its own steps", function*({ client, faults, open, page, press, sees }) {
    const dispatch = ["one", "two", "three"].map((name) =>
      use("dispatch_subagent", { task_description: use("write_file", { path: `${name}.txt`, content: name }) })
    )
    const id = yield* client.submit("three", { message: dispatch.join("\n") })
    yield* open(`tasks/${id}`)
    const unfold = page.getByRole("button", { name: /^Thread of use write_file/ })
    yield* until("three subtasks", Effect.promise(async () => await unfold.count() === 3))
    yield* Effect.promise(() => unfold.first().click())
    yield* press("Wrote 1 file")
    yield* sees("Wrote one.txt, which now has 3 bytes.")
    yield* sees("Completed")
    yield* Effect.promise(() => page.getByRole("link", { name: "Steps", exact: true }).click())
    yield* Effect.promise(() => page.getByRole("button", { name: /^Steps of use write_file/ }).first().click())
    yield* Effect.promise(() => page.getByRole("button", { name: /Wrote/ }).first().click())
    yield* sees("Result of write_file")
    assert.match(page.url(), /step=\d+&of=/)
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
      const message = page.getByRole("region", { name: "Message" })
      yield* Effect.promise(() => message.getByText("Read", { exact: true }).waitFor())
      yield* press("Cancel")
      yield* type("Reason", "not needed")
      // A click beside the dialog keeps it, with what was typed.
      yield* Effect.promise(() => page.mouse.click(5, 600))
      yield* press("Cancel the task")
      yield* sees("not needed")
      yield* Effect.promise(() => page.getByRole("main").getByText("Cancelled", { exact: true }).first().waitFor())
      yield* press("Retry")
      yield* press("Cancel")
      yield* press("Cancel the task")
      yield* press("Archive")
      yield* press("Un-archive")
      yield* press("Archive")
      yield* press("Delete")
      yield* press("Delete the task")
      yield* Effect.promise(() => page.waitForURL(/\/console\/tasks$/))
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("404")), [])
    }
  )

  taskFiles(test)

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

  decisions(test)

  bulkChanges(test)
}, Effect.succeed({ SMTP_HOST: "127.0.0.1", SMTP_PORT: 1, SMTP_SECURE: "false", SMTP_FROM: "troupe@example.org" }))
