import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { query } from "../support/Database.ts"
import { until } from "../support/Processes.ts"
import { inConsole } from "./Console.ts"
import { lists } from "./Lists.ts"
import { looksRight } from "./Looks.ts"
import { givenOverBudget, givenWaitingTasks, overBudgetTask } from "./TaskRows.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

const asks = use("ask_human", { question: "Which colour?", choices: ["Red", "Blue"] })

/** With code in a language that has colours. */
const notes = "# Notes\n\nOf today\n\n```json\n{\"count\": 1}\n```\n"

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
    "reads at which limit a task was stopped, and lets it go on with more rounds and with its whole conversation",
    function*({ client, faults, open, page, press, sees, type }) {
      const lists = Array.from({ length: 12 }, () => use("list_directory", { path: "." }))
      const id = yield* client.submit("stopped", { message: lists.join("\n\n") })
      yield* until("it is stopped", Effect.map(client.find(id), ({ status }) => status === "completed"))
      yield* open("tasks")
      yield* Effect.promise(() => page.getByRole("button", { name: /^Completed or stopped/ }).click())
      yield* sees("Stopped at its limit")
      yield* open(`tasks/${id}`)
      yield* sees("Result so far")
      const rounds = page.getByLabel("More rounds", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => rounds.inputValue()), "20")
      yield* Effect.promise(() => rounds.fill("30"))
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
      // The address of a message leads to it.
      const address = yield* Effect.promise(() =>
        page.getByRole("link", { name: "Link to this place" }).first().getAttribute("href")
      )
      assert.match(address ?? "", /tasks\/[\da-f-]{36}\?message=\d+$/)
      // A file that is dropped on the composer goes with the follow-up.
      yield* type("Follow-up", "Read this")
      const dropped = yield* Effect.promise(() =>
        page.evaluateHandle(`(() => {
  const data = new DataTransfer()
  data.items.add(new File(["more"], "more.txt", { type: "text/plain" }))
  return data
})()`)
      )
      yield* Effect.promise(() =>
        page.getByLabel("Follow-up", { exact: true }).dispatchEvent("drop", { dataTransfer: dropped })
      )
      yield* Effect.promise(() => page.getByRole("button", { name: "Remove more.txt" }).waitFor())
      yield* press("Send")
      const requests = page.getByRole("region", { name: "Request" })
      yield* Effect.promise(() => requests.last().getByText("more.txt").waitFor())
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
    "reads the whole text of a mail before the buttons that decide about it, also on a phone",
    function*({ client, faults, open, page, sees }) {
      const lines = Array.from({ length: 60 }, (_, at) => `Line ${at + 1} ${"of a mail that is long ".repeat(5)}`)
      const mail = {
        to: "stranger@example.org",
        subject: "A long mail",
        body: [...lines, "The very last line"].join("\n")
      }
      const id = yield* client.submit("asks for a mail", { message: use("send_email", mail).replace("@", "\\u0040") })
      yield* until("it waits", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
      for (const place of ["?kind=question", `tasks/${id}`]) {
        yield* open(place)
        yield* sees("The very last line")
        const question = page.getByText("May this mail be sent?").first()
        yield* until(
          `the question begins in view at ${place}`,
          Effect.promise(async () => {
            const box = await question.boundingBox()
            return box !== null && box.y >= 0 && box.y < 400
          })
        )
        for (const width of [1280, 390]) {
          yield* Effect.promise(() => page.setViewportSize({ width, height: 800 }))
          yield* until(
            `all of it is to be read at ${place} with ${width} pixels`,
            Effect.promise(() =>
              page.evaluate<boolean>(
                `(([text, send]) => {
  text.scrollIntoView({ block: "end" })
  return text.scrollWidth <= text.clientWidth
    && text.getBoundingClientRect().bottom < send.getBoundingClientRect().top
})([
  [...document.querySelectorAll("pre")].find((one) => one.innerText.includes("The very last line")),
  [...document.querySelectorAll("button")].find((one) => /^Send\\b/.test(one.innerText))])`
              )
            )
          )
        }
      }
      yield* looksRight(page, "mail-approval")
      yield* client.send("POST", `/task/${id}/cancel`, {})
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "decides about each call of a question: one by its key, another with arguments that they edit",
    function*({ client, faults, open, page, press, sees, type }) {
      const mail = (subject: string) =>
        use("send_email", {
          to: [`${subject}@example.org`],
          subject,
          body: "Look at https://evil.example/a?b \u202Enow"
        }).replace("@", "\\u0040")
      const id = yield* client.submit("asks for mails", { message: `${mail("first")}\n${mail("second")}` })
      yield* until("it waits", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
      yield* open("?kind=question")
      yield* sees("Links lead to evil.example")
      yield* sees("⟨U+202E⟩now")
      yield* sees("Approve all (2)")
      yield* looksRight(page, "approvals")
      yield* Effect.promise(() => page.keyboard.press("d"))
      const rows = page.getByRole("group", { name: "Calls to decide about" })
      yield* until("one is left", Effect.promise(async () => await rows.getByRole("article").count() === 1))
      yield* open(`tasks/${id}`)
      yield* sees("denied it in the console")
      yield* press("Edit 3 arguments")
      yield* type("to", "nobody")
      yield* sees("This is no JSON.")
      yield* type("to", "7")
      yield* press("Approve as edited")
      yield* until("the field is wrong", Effect.promise(async () => await page.locator("[data-invalid]").count() > 0))
      yield* type("to", "[\"third@example.org\"]")
      yield* press("Approve as edited")
      yield* sees("approved it with other arguments in the console")
      yield* sees("Completed")
      const { body } = yield* client.send("GET", `/api/approvals?task_id=${id}`)
      assert.containSubset(body, [{ status: "approved", edited: true, arguments: { to: ["third@example.org"] } }])
      // The browser reports the refused arguments.
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("status of 400")), [])
    }
  )

  test(
    "searches as they type, with the focus in the field and no step back for each letter",
    function*({ client, faults, open, page, sees }) {
      const id = yield* client.submit("sought", { message: "A walrus at the office" })
      yield* until("it is done", Effect.map(client.find(id), ({ status }) => status === "completed"))
      yield* open("tasks")
      yield* sees("A walrus at the office")
      const steps = Effect.promise(() => page.evaluate<number>("history.length"))
      const before = yield* steps
      const field = page.getByLabel("Search tasks", { exact: true })
      yield* Effect.promise(() => field.pressSequentially("walrus at ", { delay: 20 }))
      yield* Effect.promise(() => page.waitForURL(/q=walrus(?:\+|%20)at$/))
      yield* until("one row", Effect.promise(async () => await page.getByRole("row").count() === 2))
      assert.strictEqual(yield* Effect.promise(() => field.inputValue()), "walrus at ")
      yield* Effect.promise(() => page.keyboard.type("the moon"))
      yield* sees("No task matches")
      assert.strictEqual(yield* Effect.promise(() => field.inputValue()), "walrus at the moon")
      assert.isTrue(yield* Effect.promise(() => page.evaluate<boolean>("document.activeElement.type === \"search\"")))
      assert.strictEqual(yield* steps, before)
      yield* Effect.promise(() => field.fill(""))
      yield* Effect.promise(() => page.waitForURL(/\/tasks$/))
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "changes no more tasks than the shown list has, whatever is typed, made or finished meanwhile",
    function*({ client, faults, open, page, press, sees }) {
      const done = Effect.fnUntraced(function*(name: string) {
        const id = yield* client.submit(name, { message: `Zebra ${name}` })
        yield* until(`${name} is done`, Effect.map(client.find(id), ({ status }) => status === "completed"))
        return id
      })
      const waiting = yield* client.submit("zebra asks", { message: `Zebra that asks\n${asks}` })
      yield* until("it waits", Effect.map(client.find(waiting), ({ status }) => status === "waiting_input"))
      yield* done("one")
      const other = yield* client.submit("no stripes", { message: "No stripes" })
      let release = () => {}
      const isHeld = new Promise<void>((resolve) => {
        release = resolve
      })
      yield* Effect.promise(() =>
        page.route((one) => one.pathname === "/tasks" && one.searchParams.has("q"), async (route) => {
          await isHeld
          await route.continue()
        })
      )
      yield* open("tasks?status=completed")
      yield* sees("No stripes")
      // Typed, and not searched yet.
      yield* Effect.promise(() => page.getByLabel("Search tasks", { exact: true }).fill("Zebra"))
      yield* press("Change all …")
      yield* sees("Words: Zebra")
      yield* sees("The search is not applied yet")
      const archive = page.getByRole("radio", { name: /^Archive/ })
      yield* Effect.promise(() => archive.check())
      const act = page.getByRole("button", { name: "Archive all" })
      assert.isTrue(yield* Effect.promise(() => act.isDisabled()))
      release()
      yield* sees("Archive: 1 task now")
      yield* Effect.promise(() => page.getByText("The search is not applied yet").waitFor({ state: "detached" }))
      yield* until("the button can be pressed", Effect.promise(() => act.isEnabled()))
      // Made later, and finished later.
      const later = yield* done("made later")
      yield* client.send("POST", "/human_response", { task_id: waiting, response: "Red" })
      yield* sees("The list has changed")
      yield* looksRight(page, "tasks-change-all-grown")
      assert.isTrue(yield* Effect.promise(() => act.isDisabled()))
      yield* press("Take all 2 tasks")
      yield* press("Archive all")
      yield* sees("Finished: 2 of 2 tasks archived.")
      yield* press("Close")
      for (const [id, isArchived] of [[waiting, true], [later, false], [other, false]] as const) {
        const { body } = yield* client.send("GET", `/task/${id}`)
        assert.strictEqual((body as { readonly archived_at: string | null }).archived_at !== null, isArchived, id)
      }
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "cancels more tasks than the list counts and no other, archives finished ones, which then leave the list, and deletes archived ones",
    function*({ client, deployment, faults, load, open, page, press, sees }) {
      const kept = yield* client.submit("kept", { message: asks })
      yield* givenWaitingTasks(deployment.url, 1_200)
      yield* open("tasks?q=Many%20number")
      yield* sees("1000+")
      yield* press("Change all …")
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Choose an action" }).isDisabled()))
      yield* Effect.promise(() => page.getByRole("radio", { name: /^Cancel/ }).check())
      yield* sees("More than 999 tasks now")
      yield* press("Cancel all")
      yield* Effect.promise(() =>
        page.getByText("Finished: 1200 of 1200 tasks cancelled.").waitFor({ timeout: 60_000 })
      )
      yield* press("Close")
      yield* Effect.promise(() => page.getByRole("button", { name: /^Cancelled\s*1000\+$/ }).waitFor())
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
      yield* open("tasks?q=Bygone&include_archived=true")
      yield* press("Change all …")
      yield* Effect.promise(() => page.getByRole("radio", { name: /^Delete/ }).check())
      yield* sees("Delete: 2 tasks now")
      yield* press("Delete all")
      yield* sees("Finished: 2 of 2 tasks deleted.")
      assert.deepStrictEqual(faults, [])
    }
  )
}, Effect.succeed({ SMTP_HOST: "127.0.0.1", SMTP_PORT: 1, SMTP_SECURE: "false", SMTP_FROM: "troupe@example.org" }))
