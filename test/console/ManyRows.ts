import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { until } from "../support/Processes.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"
import { givenLongTask, givenNotifications, longTask } from "./TaskRows.ts"

const frames = 100

/** Scrolls through some hundred steps. */
const scrolling = `(async () => {
  const list = document.querySelector("[aria-label='Steps of the task']")
  for (let frame = 0; frame < ${frames}; frame++) {
    list.scrollTop += 200
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return list.scrollTop
})()`

/** What the page's thread worked, in milliseconds of its own: the load of the machine does not count. */
const workOf = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  const read = async () =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0
  const before = await read()
  return async () => (await read() - before) * 1_000
}

/** Tests of long lists. */
export const manyRows = (test: Test): void => {
  test(
    "scrolls through twenty thousand steps, the newest first, the older ones as one goes",
    function*({ deployment, faults, load, open, page, press, sees }) {
      yield* givenLongTask(deployment.url, 20_000)
      yield* open(`tasks/${longTask}`)
      const work = page.getByRole("button", { name: /^Listed \d+ folders/ })
      yield* Effect.promise(() => work.waitFor())
      const clicked = yield* Effect.promise(() => workOf(page))
      yield* Effect.promise(() => work.click())
      yield* Effect.promise(() => page.getByRole("list", { name: /^Listed \d+ folders/ }).waitFor())
      assert.isAtMost(yield* Effect.promise(clicked), 200)
      yield* press("Show earlier work (19,800 steps)")
      yield* sees("Show earlier work (18,850 steps)")
      yield* Effect.promise(() => page.getByRole("link", { name: "Steps", exact: true }).click())
      yield* Effect.promise(() => page.getByText(/^list_directory, [\d,]+ times$/).waitFor())
      yield* press("Group repeated calls")
      yield* sees("The model called list_directory")
      const steps = page.getByRole("group", { name: "Steps of the task" })
      const worked = yield* Effect.promise(() => workOf(page))
      assert.isAbove(yield* Effect.promise(() => page.evaluate<number>(scrolling)), 15_000)
      // At 60 frames a second, each has 16.7 ms.
      assert.isAtMost((yield* Effect.promise(worked)) / frames, 16)
      assert.isAtMost(yield* Effect.promise(() => steps.getByRole("listitem").count()), 100)
      yield* load(`tasks/${longTask}?step=15003`)
      yield* sees("page 15003")
      // The list is brought to it, thousands of steps below those that are loaded first.
      yield* Effect.promise(() => steps.getByRole("button", { pressed: true }).waitFor())
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "has 589 entries of the inbox worked through, one key each, of which the last can be taken back",
    function*({ deployment, faults, open, page, press, sees }) {
      yield* givenNotifications(deployment.url, 589)
      const failures = page.getByRole("region", { name: "Failed or stopped" })
      const countOf = Effect.promise(() => failures.getByRole("heading", { level: 2 }).innerText())
      yield* open("")
      yield* sees("Nightly report 3")
      yield* looksRight(page, "inbox-many")
      const before = Number((yield* countOf).replaceAll(/\D/g, ""))
      const worked = yield* Effect.promise(() => workOf(page))
      yield* Effect.promise(() => page.keyboard.press("j"))
      for (let left = before - 1; left >= before - 20; left--) {
        yield* Effect.promise(() => page.keyboard.press("e"))
        yield* until("it has left", Effect.map(countOf, (text) => Number(text.replaceAll(/\D/g, "")) === left))
      }
      assert.isAtMost((yield* Effect.promise(worked)) / 20, 200)
      yield* press("Undo")
      yield* until(
        "the last one is back",
        Effect.map(countOf, (text) => Number(text.replaceAll(/\D/g, "")) === before - 19)
      )
      // The next one is open.
      assert.strictEqual(yield* Effect.promise(() => failures.getByRole("group", { name: "Reason" }).count()), 1)
      yield* Effect.promise(() => page.keyboard.press("j"))
      yield* until(
        "none is left behind",
        Effect.promise(async () => await failures.getByRole("group", { name: "Reason" }).count() === 1)
      )
      assert.deepStrictEqual(faults, [])
    }
  )
}
