import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { processTest } from "../support/Deployment.ts"
import { until } from "../support/Processes.ts"
import { makeReceiver } from "../support/WebhookReceiver.ts"
import { browserNeed, consoleNeed, openPage } from "./Browser.ts"
import { type ConsoleWorld, makeWorld } from "./Console.ts"
import { looksRight } from "./Looks.ts"

const at = (page: Page, { origin }: ConsoleWorld, path: string) =>
  Effect.promise(() => page.goto(`${origin}/console/${path}`))

const sees = (page: Page, text: string) => Effect.promise(() => page.getByText(text).first().waitFor())

const press = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).click())

const type = (page: Page, label: string, text: string) => Effect.promise(() => page.getByLabel(label).fill(text))

const follow = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("link", { name, exact: true }).first().click())

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("The operation of the service in the console")),
  () => {
    processTest("a schedule is made, run, paused, changed and deleted", function*() {
      const world = yield* makeWorld()
      const { faults, page } = yield* openPage(world.browser, world.origin)
      yield* at(page, world, "schedules")
      yield* press(page, "Make a schedule")
      yield* type(page, "What should the agent do?", "Write the <b>report</b>")
      yield* type(page, "When", "nonsense")
      yield* type(page, "Title", "Report")
      yield* press(page, "Make the schedule")
      yield* sees(page, "The schedule was not saved")
      yield* type(page, "When", "every weekday at 9")
      yield* press(page, "Make the schedule")
      yield* sees(page, "Every weekday at 9")
      yield* follow(page, "Report")
      yield* sees(page, "None yet under this title.")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("dialog").locator("ol > li").count()), 5)
      yield* press(page, "Run now")
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("link", { name: "Report" }).waitFor())
      yield* press(page, "Pause")
      yield* press(page, "Resume")
      yield* press(page, "Change")
      yield* type(page, "When", "every day at 10")
      yield* press(page, "Save")
      yield* sees(page, "Every day at 10")
      yield* looksRight(page, "schedule")
      yield* press(page, "Close")
      yield* looksRight(page, "schedules")
      yield* follow(page, "Report")
      yield* press(page, "Delete")
      yield* press(page, "Delete the schedule")
      yield* sees(page, "No schedules yet")
      yield* looksRight(page, "schedules-none")
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("400")), [])
    })

    processTest("a webhook's delivery is read, leads to its task, and is replayed", function*() {
      const world = yield* makeWorld()
      const { faults, page } = yield* openPage(world.browser, world.origin)
      yield* at(page, world, "webhooks")
      yield* sees(page, "No webhook arrived yet")
      yield* Effect.promise(() => page.getByText("Address to post to").click())
      yield* sees(page, `${world.origin}/webhook/my-service`)
      yield* looksRight(page, "webhooks-none")
      const payload = { message: "<img src=x onerror=alert(1)>", order: { number: 7 } }
      yield* world.client.send("POST", "/webhook/shop", payload)
      yield* press(page, "Refresh")
      yield* sees(page, "Open the task")
      yield* follow(page, "shop")
      yield* sees(page, "content-type")
      yield* Effect.promise(() => page.getByRole("tree").waitFor())
      yield* looksRight(page, "delivery")
      yield* press(page, "Replay")
      yield* sees(page, "Replayed; a new delivery is queued")
      yield* press(page, "Close")
      yield* until(
        "both deliveries became a task",
        Effect.promise(async () => await page.getByRole("link", { name: "Open the task" }).count() === 2)
      )
      yield* looksRight(page, "webhooks")
      yield* follow(page, "Open the task")
      yield* Effect.promise(() => page.waitForURL(/\/console\/tasks\/[\da-f-]+/))
      assert.deepStrictEqual(faults, [])
    })

    processTest("a subscription shows its secret once, is tested, and what failed is sent again", function*() {
      const world = yield* makeWorld()
      const receiver = yield* makeReceiver
      const { faults, page } = yield* openPage(world.browser, world.origin)
      yield* at(page, world, "subscriptions")
      yield* press(page, "Add a subscription")
      yield* type(page, "Address", receiver.url)
      yield* press(page, "Add the subscription")
      yield* sees(page, "Store the secret now")
      yield* sees(page, "whsec_")
      yield* looksRight(page, "subscription-secret")
      yield* press(page, "I stored it")
      yield* looksRight(page, "subscriptions")
      yield* follow(page, receiver.url)
      yield* press(page, "Send a test")
      yield* sees(page, "Accepted")
      yield* press(page, "Replay subscription.test")
      yield* until("the event came twice", Effect.sync(() => receiver.seen.length === 2))
      yield* looksRight(page, "subscription")
      yield* at(page, world, "outbox")
      yield* sees(page, "Sent")
      yield* looksRight(page, "outbox")
      assert.deepStrictEqual(faults, [])
    })
  }
)
