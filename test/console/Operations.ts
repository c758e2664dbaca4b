import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { query } from "../support/Database.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { until } from "../support/Processes.ts"
import { makeReceiver } from "../support/WebhookReceiver.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

/** Tests about schedules, webhooks, subscriptions and settings, for a service that has none of them yet. */
export const operations = (test: Test): void => {
  test(
    "a schedule is made, run, paused, changed and deleted",
    function*({ faults, follow, open, page, press, sees, type }) {
      yield* open("schedules")
      yield* press("Make a schedule")
      yield* type("What should the agent do?", "Write the <b>report</b>")
      yield* type("When", "nonsense")
      yield* type("Title", "Report")
      yield* press("Create schedule")
      yield* sees("The schedule was not saved")
      yield* type("When", "every weekday at 9")
      const runs = page.getByRole("status", { name: "Next runs" }).getByRole("listitem")
      yield* Effect.promise(() => runs.nth(4).waitFor())
      yield* press("Create schedule")
      yield* sees("Every weekday at 9")
      yield* follow("Report")
      yield* sees("None yet. “Run now” makes one.")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("dialog").locator("ol > li").count()), 5)
      yield* press("Run now")
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("link", { name: "Report" }).click())
      yield* Effect.promise(() => page.locator("a[href*='schedule=']").click())
      yield* sees("Its tasks")
      yield* press("Pause")
      yield* press("Resume")
      yield* press("Change")
      yield* type("When", "every day at 11")
      yield* press("Cancel")
      yield* press("Change")
      const when = page.getByLabel("When", { exact: true })
      assert.strictEqual(yield* Effect.promise(() => when.inputValue()), "every weekday at 9")
      yield* type("When", "0 10 * * *")
      yield* press("Save")
      yield* sees("Every day at 10:00")
      yield* looksRight(page, "schedule")
      yield* press("Close")
      yield* looksRight(page, "schedules")
      yield* follow("Report")
      yield* press("Delete")
      yield* sees("No schedules yet")
      yield* press("Undo")
      yield* follow("Report")
      yield* press("Delete")
      yield* sees("No schedules yet")
      yield* looksRight(page, "schedules-none")
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("400")), [])
    }
  )

  test(
    "a webhook's delivery is read, leads to its task, and is replayed",
    function*({ client, faults, follow, open, origin, page, press, sees, type }) {
      yield* open("webhooks")
      yield* sees("No webhook has arrived yet")
      yield* Effect.promise(() => page.getByText("Address to post to").click())
      yield* sees(`${origin}/webhook/my-service`)
      yield* sees("need neither a signature nor a token")
      const line = page.getByRole("group", { name: "curl line" })
      assert.notInclude(yield* Effect.promise(() => line.innerText()), "Authorization")
      yield* type("Type: any name for the sender", "Signed shop")
      yield* sees("Each delivery needs a valid signature with WEBHOOK_SECRET_SIGNED_SHOP")
      assert.include(yield* Effect.promise(() => line.innerText()), "webhook-signature: v1,$SIGNATURE")
      yield* looksRight(page, "webhooks-signed")
      yield* type("Type: any name for the sender", "my-service")
      yield* looksRight(page, "webhooks-none")
      const payload = { message: "<img src=x onerror=alert(1)>", order: { number: 7 } }
      yield* client.send("POST", "/webhook/shop", payload)
      yield* press("Refresh")
      yield* sees("Open the task")
      yield* follow("shop")
      yield* sees("content-type")
      yield* Effect.promise(() => page.getByRole("tree").waitFor())
      yield* looksRight(page, "delivery")
      yield* press("Replay")
      yield* press("Replay it")
      yield* sees("Replayed; a new delivery is queued")
      const replayed = page.url()
      yield* press("Open it")
      yield* until(
        "the new delivery is open",
        Effect.sync(() => /delivery=/.test(page.url()) && page.url() !== replayed)
      )
      yield* press("Close")
      yield* until(
        "both deliveries became a task",
        Effect.promise(async () => await page.getByRole("link", { name: "Open the task" }).count() === 2)
      )
      yield* looksRight(page, "webhooks")
      yield* follow("Open the task")
      yield* Effect.promise(() => page.waitForURL(/\/console\/tasks\/[\da-f-]+/))
      yield* Effect.promise(() =>
        page.getByRole("region", { name: "About this task" }).locator("a[href*='delivery=']").click()
      )
      yield* sees("content-type")
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "a subscription shows its secret once, is tested, and what failed is sent again",
    function*({ deployment, faults, follow, open, page, press, sees, type }) {
      const receiver = yield* makeReceiver
      yield* open("subscriptions")
      yield* press("Add a subscription")
      yield* type("Address", receiver.url)
      yield* press("Add the subscription")
      yield* sees("Store the secret now")
      yield* sees("whsec_")
      yield* looksRight(page, "subscription-secret")
      yield* press("I stored it")
      yield* looksRight(page, "subscriptions")
      yield* follow(receiver.url)
      yield* press("Send a test")
      yield* sees("Accepted")
      yield* press("Replay subscription.test")
      yield* until("the event came twice", Effect.sync(() => receiver.seen.length === 2))
      yield* looksRight(page, "subscription")
      yield* press("Delete")
      yield* sees("No subscriptions yet")
      yield* press("Undo")
      yield* sees(receiver.url)
      yield* open("outbox")
      yield* sees("Sent")
      yield* sees(receiver.url)
      const deadLetter =
        `insert into outbox (id, channel, recipient, kind, payload, state, due_at, ended_at, attempts, last_error)
        values (gen_random_uuid(), 'email', 'gone@example.org', 'mail', '{}', 'failed', null, now(), 8, 'No such mailbox <b>here</b>')`
      yield* query(deployment.url, deadLetter)
      yield* press("Refresh")
      yield* press("Dead letter")
      yield* sees("No such mailbox <b>here</b>")
      yield* looksRight(page, "outbox")
      yield* press("Send again to gone@example.org")
      // Without SMTP it soon is a dead letter again.
      yield* sees("Queued again")
      assert.deepStrictEqual(faults, [])
    }
  )

  test(
    "mail is connected and tried without a restart, what the environment sets is locked, and no secret comes back",
    function*({ faults, follow, load, open, page, press, sees, type }) {
      const smtp = yield* makeMailServer({ allowInsecureAuth: true })
      yield* open("settings?view=mail")
      const recipients = page.getByLabel("Domains that need no approval", { exact: true })
      assert.isTrue(yield* Effect.promise(() => recipients.isDisabled()))
      yield* sees("Set by the environment")
      yield* type("SMTP host", "127.0.0.1")
      yield* type("SMTP port", String(smtp.port))
      yield* Effect.promise(() => page.getByLabel("SMTP encryption", { exact: true }).selectOption("false"))
      yield* type("SMTP user", "troupe")
      yield* type("SMTP password", "wrong-of-the-test")
      yield* press("Test")
      yield* sees("Nothing was saved or tested. Correct the marked fields.")
      yield* looksRight(page, "settings-refused")
      yield* type("Sender", "troupe@example.org")
      yield* press("Test")
      yield* sees("It does not work.")
      yield* type("SMTP password", password)
      yield* press("Test")
      yield* sees(`127.0.0.1:${smtp.port} answers and accepts the sign-in.`)
      yield* type("Send a mail to myself", "ada@example.net")
      yield* press("Send it")
      yield* sees("A mail was sent to ada@example.net.")
      yield* looksRight(page, "settings-mail")
      yield* follow("Storage")
      yield* sees("Your changes are not saved")
      yield* press("Stay here")
      yield* press("Save")
      yield* sees("It is in effect in every process within 10 seconds.")
      yield* load("settings?view=mail")
      yield* sees("Secret: set here")
      yield* press("Test")
      yield* sees("It works.")
      assert.notInclude(yield* Effect.promise(() => page.content()), password)
      yield* open("settings?view=history")
      yield* sees("A new secret")
      yield* looksRight(page, "settings-history")
      // The browser reports the values that the service refused.
      assert.deepStrictEqual(faults.filter((fault) => !fault.includes("400")), [])
    }
  )

  test("a webhook type gets a secret, and one of the environment keeps its own", function*(
    { faults, open, page, press, sees, type }
  ) {
    yield* open("settings?view=webhooks")
    yield* press("Add a type")
    yield* type("Type", "code-host")
    yield* type("Secret", "hush-of-the-test")
    yield* looksRight(page, "settings-webhook-type")
    yield* press("Save")
    yield* sees("Webhooks of type code-host are set up")
    yield* press("Change signed-shop")
    yield* type("Secret", "other-of-the-test")
    yield* Effect.promise(() => page.getByRole("dialog").getByRole("button", { name: "Save" }).click())
    yield* sees("locked: the environment of the service sets it")
    yield* press("Cancel")
    yield* looksRight(page, "settings-webhooks")
    yield* press("Remove code-host")
    yield* press("Remove the webhook type")
    yield* Effect.promise(() => page.getByRole("heading", { name: /^code-host/ }).waitFor({ state: "detached" }))
    assert.deepStrictEqual(faults.filter((fault) => !fault.includes("400")), [])
  })
}
