import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../support/Processes.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"
import { givenWaitingTasks } from "./TaskRows.ts"

const use = (tool: string, input: object) => `use ${tool} ${JSON.stringify(input)}`

const asks = use("ask_human", { question: "Which colour?", choices: ["Red", "Blue"] })

/** Tests of searches, and of changes of many tasks. */
export const bulkChanges = (test: Test): void => {
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
}
