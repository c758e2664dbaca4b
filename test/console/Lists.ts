import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../support/Processes.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

/** Tests of the list of tasks. */
export const lists = (test: Test): void => {
  test(
    "selects tasks by click, shift and key, archives them, takes it back, and un-archives one",
    function*({ client, faults, open, page, press, sees }) {
      for (const name of ["one", "two", "three", "four"]) {
        const id = yield* client.submit(`heron ${name}`, { message: `Heron ${name}` })
        yield* until(`${name} is done`, Effect.map(client.find(id), ({ status }) => status === "completed"))
      }
      const rows = (count: number) =>
        until(
          `${count} tasks are listed`,
          Effect.promise(async () =>
            await page.getByRole("table", { name: "Tasks" }).getByRole("row").count() === count + 1
          )
        )
      const box = (name: string) => page.getByRole("checkbox", { name: `Select Heron ${name}` })
      yield* open("tasks?q=Heron")
      yield* rows(4)
      yield* Effect.promise(() => box("four").click())
      yield* Effect.promise(() => box("two").click({ modifiers: ["Shift"] }))
      yield* sees("3 tasks selected")
      yield* looksRight(page, "tasks-selected")
      yield* press("Archive")
      // It is offered for some seconds.
      yield* press("Undo")
      yield* sees("Undone")
      yield* rows(4)
      yield* Effect.promise(() => page.keyboard.press("j"))
      yield* Effect.promise(() => page.keyboard.press("x"))
      yield* sees("1 task selected")
      yield* press("Archive")
      // The selection ends with the operation, which may be later than the task leaves the list.
      yield* sees("1 task archived")
      yield* rows(3)
      yield* open("tasks?q=Heron&include_archived=true")
      yield* rows(4)
      yield* Effect.promise(() => box("four").click())
      yield* press("Un-archive")
      yield* sees("1 task un-archived")
      yield* open("tasks?q=Heron")
      yield* rows(4)
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "keeps what they select while an operation runs, and selects no task again that left the list",
    function*({ client, faults, open, page, press, sees }) {
      const ids = []
      for (const name of ["one", "two", "three"]) {
        const id = yield* client.submit(`ibis ${name}`, { message: `Ibis ${name}` })
        yield* until(`${name} is done`, Effect.map(client.find(id), ({ status }) => status === "completed"))
        ids.push(id)
      }
      const box = (name: string) => page.getByRole("checkbox", { name: `Select Ibis ${name}` })
      let release = () => {}
      const isHeld = new Promise<void>((resolve) => {
        release = resolve
      })
      yield* Effect.promise(() =>
        page.route((url) => url.pathname === "/tasks/bulk", async (route) => {
          await isHeld
          await route.continue()
        })
      )
      yield* open("tasks?q=Ibis")
      yield* Effect.promise(() => box("one").check())
      yield* press("Archive")
      yield* Effect.promise(() => box("two").check())
      yield* Effect.promise(() => box("three").check())
      release()
      yield* sees("1 task archived")
      yield* sees("2 tasks selected")
      yield* client.send("DELETE", `/task/${ids[1]}`)
      yield* sees("1 task selected")
      yield* client.send("POST", `/task/${ids[1]}/restore`)
      yield* Effect.promise(() => box("two").waitFor())
      assert.isFalse(yield* Effect.promise(() => box("two").isChecked()))
      yield* sees("1 task selected")
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "sees sleeping tasks apart from running ones, and cancelled ones apart from failed ones",
    function*({ client, faults, open, page, press, sees }) {
      yield* client.submit("otter sleeps", { message: "Otter that sleeps\nuse wait {\"seconds\": 600}" })
      const stopped = yield* client.submit("otter stops", { message: "Otter that stops\nuse wait {\"seconds\": 600}" })
      yield* client.send("POST", `/task/${stopped}/cancel`, { reason: "enough" })
      yield* open("tasks?q=Otter")
      for (const tab of [/^Running\s*0$/, /^Sleeping\s*1$/, /^Failed\s*0$/, /^Cancelled\s*1$/]) {
        yield* Effect.promise(() => page.getByRole("button", { name: tab }).waitFor())
      }
      yield* Effect.promise(() => page.getByRole("button", { name: /^Sleeping\s*1$/ }).click())
      yield* Effect.promise(() => page.waitForURL(/sleeping=true/))
      yield* sees("Otter that sleeps")
      yield* Effect.promise(() => page.getByText("Otter that stops").waitFor({ state: "detached" }))
      yield* press("Columns")
      yield* Effect.promise(() => page.getByRole("checkbox", { name: "Ended by" }).check())
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByRole("columnheader", { name: "Ended by" }).waitFor())
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "goes on with older tasks in the command menu where only the newest were searched",
    function*({ client, faults, open, page, sees }) {
      const id = yield* client.submit("old walrus", { message: "Walrus of long ago" })
      // As the service answers while many newer tasks nearly match.
      yield* Effect.promise(() =>
        page.route((one) => one.pathname === "/tasks" && one.searchParams.get("limit") === "8", (route) => {
          const url = new URL(route.request().url())
          if (!url.searchParams.has("cursor")) {
            return route.fulfill({ json: [], headers: { link: `</tasks?cursor=${maxId}>; rel="next"` } })
          }
          url.searchParams.delete("cursor")
          return route.continue({ url: url.href })
        })
      )
      yield* open("tasks")
      yield* sees("Walrus of long ago")
      yield* Effect.promise(() => page.keyboard.press("Control+k"))
      yield* Effect.promise(() => page.getByPlaceholder("Search tasks, or type a command").fill("walrus"))
      const found = page.getByRole("option", { name: "Walrus of long ago" })
      const older = page.getByRole("option", { name: /^Search older tasks/ })
      yield* Effect.promise(() => older.waitFor())
      assert.strictEqual(yield* Effect.promise(() => found.count()), 0)
      yield* looksRight(page, "command-menu-older")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Effect.promise(() => found.waitFor())
      yield* Effect.promise(() => older.waitFor({ state: "detached" }))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Effect.promise(() => page.waitForURL(new RegExp(`/tasks/${id}`)))
      yield* sees("Walrus of long ago")
      assert.deepStrictEqual(faults, [])
    }
  )
}

const maxId = "ffffffff-ffff-ffff-ffff-ffffffffffff"
