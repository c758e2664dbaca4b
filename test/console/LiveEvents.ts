import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { serve } from "../support/LocalServer.ts"
import { start, until } from "../support/Processes.ts"
import type { Test } from "./Console.ts"
import { handsOn } from "./Hands.ts"

const asks = "use ask_human {\"question\": \"Which colour?\"}"
const lists = "use list_directory {\"path\": \".\"}"

/** Tests of a page that stays open. The last one kills the service. */
export const liveEvents = (test: Test): void => {
  test("follows the text of a task only while its tab is shown", function*({ client, open, page }) {
    const id = yield* client.submit("followed", { message: asks })
    yield* until("the question", Effect.map(client.find(id), ({ status }) => status === "waiting_input"))
    // As while the model writes.
    yield* Effect.promise(() =>
      page.route((url) => url.pathname === `/task/${id}`, async (route) => {
        const answer = await route.fetch()
        const task: object = await answer.json()
        await route.fulfill({ response: answer, json: { ...task, status: "running" } })
      })
    )
    const streams = { opened: 0, closed: 0 }
    const isStream = (one: { readonly url: () => string }) => new URL(one.url()).pathname === `/task/${id}/events`
    page.on("request", (one) => void (isStream(one) && streams.opened++))
    page.on("requestfailed", (one) => void (isStream(one) && streams.closed++))
    const turn = (visibility: string) =>
      Effect.promise(() =>
        page.evaluate(
          `Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true })
document.dispatchEvent(new Event("visibilitychange"))`
        )
      )
    const are = (opened: number, closed: number) =>
      until(
        `${opened} streams were opened and ${closed} closed`,
        Effect.sync(() => streams.opened === opened && streams.closed === closed)
      )
    yield* open(`tasks/${id}`)
    yield* are(1, 0)
    yield* turn("hidden")
    yield* are(1, 1)
    yield* turn("visible")
    yield* are(2, 1)
  })

  test("keeps the end of the text in view as it comes, until a person scrolls up, and again at its end", function*(
    { client, open, page }
  ) {
    const id = yield* client.submit("streamed", { message: "use wait {\"seconds\": 3600}" })
    yield* until("it waits", Effect.map(client.find(id), ({ waiting_for }) => waiting_for?.reason === "timer"))
    let stream: ServerResponse | undefined
    const url = yield* serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      stream = response
    })
    yield* Effect.promise(() =>
      page.route((one) => one.pathname === `/task/${id}/events`, (route) => route.continue({ url }))
    )
    const box = page.getByRole("log", { name: "What the model writes" })
    const look = Effect.promise(() =>
      page.evaluate<ReadonlyArray<number>>(
        `(({ clientHeight, scrollHeight, scrollTop }) => [scrollHeight, scrollHeight - clientHeight - scrollTop])(
document.querySelector("[aria-label=Messages]"))`
      )
    )
    let height = 0
    const writes = (isFollowed: boolean) =>
      Effect.gen(function*() {
        const delta = "A paragraph.\n\n".repeat(20)
        stream?.write(`event: text\ndata: ${JSON.stringify({ delta })}\n\n`)
        yield* Effect.promise(() => box.waitFor())
        yield* until(
          `the text has grown, and the box ${isFollowed ? "is" : "is not"} at its end`,
          Effect.map(look, ([total = 0, left = 0]) => {
            if (total <= height || isFollowed !== left < 2) return false
            height = total
            return true
          })
        )
      })
    yield* open(`tasks/${id}`)
    yield* until("the stream is open", Effect.sync(() => stream !== undefined))
    // Rendered, the text is lower than its source, so a renderer that loads meanwhile would take the end to the person.
    yield* Effect.promise(() => page.locator(".prose-text:not(.whitespace-pre-wrap)").first().waitFor())
    yield* writes(true)
    yield* writes(true)
    yield* Effect.promise(() => box.hover())
    yield* Effect.promise(() => page.mouse.wheel(0, -100))
    yield* until("it was scrolled", Effect.map(look, ([, left = 0]) => left > 50))
    yield* writes(false)
    yield* Effect.promise(() => page.evaluate("document.querySelector(\"[aria-label=Messages]\").scrollTop = 1e6"))
    yield* writes(true)
    stream?.end()
  })

  test("shows what changed before the events of the page began", function*({ client, open, page, sees }) {
    const early = yield* client.submit("early", { message: "Before the page" })
    yield* until("it is done", Effect.map(client.find(early), ({ status }) => status === "completed"))
    let release = () => {}
    const isHeld = new Promise<void>((resolve) => {
      release = resolve
    })
    yield* Effect.promise(() =>
      page.route((url) => url.pathname === "/events", async (route) => {
        await isHeld
        await route.continue()
      })
    )
    yield* open("tasks")
    yield* sees("Before the page")
    const id = yield* client.submit("gap", { message: "Between the page and its events" })
    yield* until("it is done", Effect.map(client.find(id), ({ status }) => status === "completed"))
    release()
    yield* sees("Between the page and its events")
  })

  test("shares one connection for the events of all tabs", function*({ client, open, origin, page, sees }) {
    const context = page.context()
    const streams: Array<string> = []
    context.on("request", (one) => {
      if (new URL(one.url()).pathname === "/events") streams.push(one.url())
    })
    yield* open("tasks")
    const second = yield* Effect.promise(() => context.newPage())
    const other = handsOn(second, origin)
    yield* other.open("tasks")
    const both = yield* client.submit("in both", { message: "Seen in both tabs" })
    yield* other.sees("Seen in both tabs")
    yield* sees("Seen in both tabs")
    const rows = [page, second].map((tab) => tab.getByRole("row", { name: /Seen in both tabs/ }))
    yield* until("it is finished", Effect.map(client.find(both), ({ status }) => status === "completed"))
    yield* client.send("DELETE", `/task/${both}`)
    for (const row of rows) yield* Effect.promise(() => row.waitFor({ state: "detached" }))
    assert.lengthOf(streams, 1)
    yield* Effect.promise(() => page.close())
    yield* client.submit("after", { message: "Seen by the other tab" })
    yield* other.sees("Seen by the other tab")
    assert.lengthOf(streams, 2)
  })

  // It ends the service of the others.
  test(
    "sees that the service was killed, and then what came after, without a gap or a double",
    function*({ client, deployment, open, page, ports, sees, service }) {
      const id = yield* client.submit("killed", { message: `${lists}\n\nuse wait {"seconds": 600}` })
      yield* open(`tasks/${id}?view=steps`)
      yield* sees("Sleeps until")
      yield* service.signal("SIGKILL")
      yield* sees("Reconnecting")
      yield* start("all", { ...deployment.environment, ...ports.environment })
      yield* Effect.promise(() => page.getByText("Reconnecting").waitFor({ state: "detached" }))
      yield* client.send("POST", `/task/${id}/message`, { message: lists })
      yield* sees("Completed")
      const { body } = yield* client.send("GET", `/task/${id}/steps`)
      const steps = body as ReadonlyArray<{ title: string; calls: ReadonlyArray<{ name: string }> }>
      const titles = steps.map(({ calls: [call], title }) =>
        call === undefined ? title : `The model called ${call.name}`
      )
      const rows = page.getByRole("group", { name: "Steps of the task" }).getByRole("listitem")
      yield* until(
        `these steps once each: ${titles.join(", ")}`,
        Effect.promise(async () => {
          const shown = await rows.allInnerTexts()
          return shown.length === titles.length && titles.every((title, index) => shown[index]?.startsWith(title))
        })
      )
    }
  )
}
