import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { serve } from "../support/LocalServer.ts"
import { until } from "../support/Processes.ts"
import { lanHost, openPage } from "./Browser.ts"
import { inConsole } from "./Console.ts"
import { handsOn } from "./Hands.ts"
import { liveEvents } from "./LiveEvents.ts"
import { manyRows } from "./ManyRows.ts"
import { peopleScreens, teamChat } from "./PeopleScreens.ts"
import { crashedTask, givenCrashedTask } from "./TaskRows.ts"

const asks = "use ask_human {\"question\": \"Which colour?\"}"

inConsole("The console", (test) => {
  peopleScreens(test)

  manyRows(test)

  test("is used by keyboard alone", function*({ client, faults, open, page, sees }) {
    const keys = (...names: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        for (const name of names) await page.keyboard.press(name)
      })
    yield* open("skills")
    yield* Effect.promise(() => page.getByRole("heading", { name: "Skills" }).waitFor())
    yield* keys("Shift+?")
    yield* Effect.promise(() => page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor())
    yield* keys("Escape", "c")
    yield* Effect.promise(() => page.getByRole("dialog", { name: "New task" }).waitFor())
    yield* Effect.promise(() => page.keyboard.insertText(asks))
    yield* keys("Control+Enter")
    const answer = page.getByLabel("Your answer")
    yield* Effect.promise(() => answer.waitFor())
    yield* Effect.promise(() => page.getByRole("link", { name: "Steps", exact: true }).press("Enter"))
    yield* Effect.promise(() => page.getByRole("button", { name: /The task started/ }).waitFor())
    // The first line is what the task waits for.
    yield* keys("j", "j", "Enter")
    yield* Effect.promise(() => page.getByRole("heading", { name: /^Step \d/ }).waitFor())
    yield* keys("+", "0", "g", "i")
    yield* Effect.promise(() => page.getByRole("heading", { name: "Inbox" }).waitFor())
    yield* sees("Which colour?")
    const questions = (yield* client.send("GET", "/tasks?status=waiting_input")).body as ReadonlyArray<unknown>
    // Questions come first, once the list is there. What was open before they came stays open.
    yield* Effect.promise(() =>
      page.getByRole("heading", { level: 3 }).first().filter({ hasText: "Which colour?" }).waitFor()
    )
    yield* keys("j", "e")
    yield* Effect.promise(() => page.keyboard.insertText("Blue"))
    yield* keys("Control+Enter")
    yield* until(
      "the answer was taken",
      Effect.map(
        client.send("GET", "/tasks?status=waiting_input"),
        ({ body }) => Array.isArray(body) && body.length < questions.length
      )
    )
    // A field is left with Escape, and a link or button that was used does not keep Enter from the list.
    yield* keys("Escape", "g", "t")
    yield* Effect.promise(() => page.waitForURL(/\/console\/tasks$/))
    yield* Effect.promise(() => page.getByRole("row").nth(1).waitFor())
    yield* keys("/", "Escape", "Tab", "j", "Enter")
    yield* Effect.promise(() => page.waitForURL(/\/console\/tasks\/[\da-f-]+$/))
    yield* keys("Control+k")
    const commands = page.getByPlaceholder("Search tasks, or type a command")
    yield* Effect.promise(() => commands.waitFor())
    // What only the service finds is chosen at once.
    yield* Effect.promise(() => page.keyboard.insertText("Which colour"))
    yield* Effect.promise(() => page.getByRole("option", { name: /Which colour/, selected: true }).waitFor())
    assert.isFalse(yield* Effect.promise(() => page.getByText("Nothing matches.").isVisible()))
    yield* keys("Enter")
    yield* Effect.promise(() => page.waitForURL(/\/console\/tasks\/[\da-f-]+$/))
    yield* keys("Control+k")
    yield* Effect.promise(() => commands.waitFor())
    yield* Effect.promise(() => page.keyboard.insertText("People"))
    yield* keys("Enter")
    yield* Effect.promise(() => page.getByRole("row").nth(1).getByRole("link").waitFor())
    yield* keys("j", "Enter")
    yield* Effect.promise(() => page.waitForURL(/people\?user=/))
    assert.deepStrictEqual(faults, [])
  })

  test("is used on a telephone", function*({ browser, client, deployment, origin }) {
    const id = yield* client.submit("narrow", { message: asks })
    yield* givenCrashedTask(deployment.url)
    const { faults, page } = yield* openPage(browser, origin, { viewport: { width: 390, height: 844 }, hasTouch: true })
    const { open, press, sees, type } = handsOn(page, origin)
    yield* open("tasks?status=failed")
    const selected = page.getByRole("group", { name: "State" }).locator("[aria-pressed=true]")
    yield* until(
      "the selected tab is in view",
      Effect.promise(async () => {
        const box = await selected.boundingBox()
        return box !== null && box.x >= 0 && box.x + box.width <= 390
      })
    )
    yield* Effect.promise(() => page.getByRole("link", { name: /^Inbox/ }).tap())
    yield* Effect.promise(() => page.getByRole("heading", { name: "Inbox" }).waitFor())
    yield* press("Menu")
    yield* Effect.promise(() => page.getByRole("dialog").getByRole("link", { name: "Tasks" }).tap())
    yield* Effect.promise(() => page.getByRole("row", { name: /ask_human.*Which colour\?/s }).first().waitFor())
    yield* Effect.promise(() => page.getByRole("row").getByRole("link", { name: /ask_human/ }).first().tap())
    yield* Effect.promise(() => page.waitForURL(new RegExp(id)))
    yield* type("Your answer", "Blue")
    yield* press("Answer")
    yield* sees("Completed")
    yield* Effect.promise(() => page.getByRole("link", { name: "Steps", exact: true }).tap())
    yield* Effect.promise(() => page.getByRole("button", { name: /The model answered/ }).tap())
    // The step opens over the screen, where it is seen.
    const step = page.getByRole("dialog", { name: /^Inspected step/ })
    yield* Effect.promise(async () => {
      await step.getByRole("tab", { name: "What the model saw" }).tap()
      await step.getByText(/^System prompt, [\d,]+ characters$/).tap()
      await step.getByText("Requested by: default.").waitFor()
      await step.getByText(/^\d+ tools$/).tap()
      await step.getByText("write_file", { exact: true }).tap()
      await step.getByText("Write a text file among").waitFor()
    })
    yield* press("Close the step")
    yield* Effect.promise(() => step.waitFor({ state: "detached" }))
    const bars = page.getByRole("group", { name: "Steps of the task" }).locator("li span[title]")
    assert.isFalse(yield* Effect.promise(() => bars.first().isVisible()))
    yield* press("Timeline")
    yield* Effect.promise(() => bars.first().waitFor())
    yield* open(`tasks/${crashedTask}`)
    yield* sees("Crashed; attempt 3 of 4 starts")
    yield* press("Menu")
    yield* Effect.promise(() => page.getByRole("dialog").getByRole("button", { name: "New task" }).tap())
    yield* Effect.promise(() => page.getByRole("dialog", { name: "Menu" }).waitFor({ state: "detached" }))
    yield* Effect.promise(() => page.getByRole("dialog", { name: "New task" }).waitFor())
    assert.deepStrictEqual(faults, [])
  })

  test("works under another path behind a proxy", function*({ browser, origin }) {
    const outside = yield* serve((incoming, outgoing) => {
      if (!incoming.url?.startsWith("/troupe/")) return void outgoing.writeHead(404).end("not the service")
      const { hostname, port } = new URL(origin)
      const headers = { ...incoming.headers, host: `${hostname}:${port}` }
      const path = incoming.url.slice("/troupe".length)
      const inner = request({ hostname, port, path, method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      inner.on("error", () => outgoing.destroy())
      outgoing.on("close", () => inner.destroy())
      incoming.pipe(inner)
    })
    const { faults, page } = yield* openPage(browser, `${outside}/troupe`)
    const { press, sees, type } = handsOn(page, `${outside}/troupe`)
    yield* Effect.promise(() => page.goto(`${outside}/troupe/`))
    yield* Effect.promise(() => page.waitForURL(`${outside}/troupe/console/`))
    yield* press("New task")
    yield* type("What should the agent do?", "use write_file {\"path\": \"proxied.txt\", \"content\": \"1\"}")
    yield* press("Create task")
    yield* sees("Completed")
    yield* Effect.promise(() => page.reload())
    yield* sees("Tool calls made: 1")
    yield* Effect.promise(() => page.getByRole("link", { name: "Files" }).click())
    yield* sees("proxied.txt")
    assert.deepStrictEqual(faults, [])
  })

  test("works over plain http, where pages have no clipboard and no random ids", function*({ browser, ports }) {
    const origin = `http://${lanHost}:${ports.http}`
    const { faults, page } = yield* openPage(browser, origin)
    const { open, press, sees, type } = handsOn(page, origin)
    yield* open("tasks")
    assert.isFalse(yield* Effect.promise(() => page.evaluate<boolean>("isSecureContext")))
    yield* press("New task")
    yield* type("What should the agent do?", "use wait {\"seconds\": 600}")
    yield* Effect.promise(() =>
      page.getByLabel("Files to attach").setInputFiles({
        name: "plain.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("plain")
      })
    )
    yield* Effect.promise(() => page.getByRole("button", { name: "Remove plain.txt" }).waitFor())
    yield* press("Create task")
    yield* sees("Sleeps until")
    yield* press("Copy link")
    yield* sees("The browser does not allow copying here")
    yield* type("Message to the agent", "Enough")
    yield* press("Send")
    const message = page.getByRole("region", { name: "Message" })
    yield* Effect.promise(() => message.getByText("Read", { exact: true }).waitFor())
    assert.deepStrictEqual(faults, [])
  })

  liveEvents(test)
}, Effect.map(teamChat, (chat) => ({ ...chat, ALLOWED_HOSTS: lanHost })))
