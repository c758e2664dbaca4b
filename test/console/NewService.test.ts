import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { say, sendEvent } from "../support/ChatEvents.ts"
import { chatToken, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { inConsole } from "./Console.ts"
import { firstRun } from "./FirstRun.ts"
import { policyScreens } from "./PolicyScreens.ts"
import { firstVisit, screens } from "./Screens.ts"
import { toolServers } from "./ToolServers.ts"

const saved = "It is in effect in every process within 10 seconds."

inConsole(
  "The console of a new service",
  (test) => {
    firstVisit(test)
    firstRun(test)
    policyScreens(test)
    toolServers(test)
    screens(test)

    test("uses a connected team chat at once: it starts a task and gets its answer", function*(
      { faults, open, origin, page, press, sees, type }
    ) {
      const chat = yield* makeChatPlatform
      yield* open("settings")
      yield* type("Address of the platform", chat.url.href)
      yield* type("Bot token", chatToken)
      yield* type("Signing secret", signingSecret)
      yield* press("Test")
      yield* sees("Its requests are accepted where they are signed.")
      yield* press("Save")
      yield* sees(saved)
      const ada = chat.state.user("ADA", { profile: { email: "ada@example.org" } })
      const { events } = say(chat, {
        channel: chat.state.directMessage(ada.id),
        user: ada.id,
        text: "use list_directory {}"
      })
      for (const event of events) {
        assert.strictEqual((yield* sendEvent(`${origin}/team-chat/dm_response`, event)).status, 200)
      }
      assert.include((yield* Queue.take(chat.posts)).text, "Tool calls made: 1")
      yield* open("tasks")
      yield* Effect.promise(() => page.getByRole("row", { name: /list_directory/ }).first().waitFor())
      assert.deepStrictEqual(faults, [])
    })

    test("uses connected mailboxes at once: a mail becomes a task, whose result is mailed", function*(
      { faults, open, page, sees, type }
    ) {
      const smtp = yield* makeMailServer({ allowInsecureAuth: true })
      const imap = yield* makeImapServer
      yield* open("settings?view=mail")
      const save = (panel: string) =>
        Effect.promise(() => page.getByRole("region", { name: panel }).getByRole("button", { name: "Save" }).click())
      yield* type("SMTP host", "127.0.0.1")
      yield* type("SMTP port", String(smtp.port))
      yield* Effect.promise(() => page.getByLabel("SMTP encryption", { exact: true }).selectOption("false"))
      yield* type("SMTP user", "troupe")
      yield* type("SMTP password", password)
      yield* type("Sender", "troupe@example.org")
      yield* save("Sending mail")
      yield* sees(saved)
      yield* type("IMAP host", "127.0.0.1")
      yield* type("IMAP port", String(imap.port))
      yield* Effect.promise(() => page.getByLabel("IMAP encryption", { exact: true }).selectOption("false"))
      yield* type("IMAP user", "troupe@example.org")
      yield* type("IMAP password", "secret")
      yield* save("Receiving mail")
      yield* Effect.promise(() => page.getByText("Not saved").first().waitFor({ state: "detached" }))
      imap.deliver(
        "From: Ada <ada@example.net>\r\nTo: troupe@example.org\r\nSubject: The folder\r\n"
          + "Message-ID: <one@example.net>\r\n\r\nuse list_directory {}\r\n"
      )
      const { raw, to } = yield* Queue.take(smtp.arrivals)
      assert.deepStrictEqual([...to], ["ada@example.net"])
      assert.include(raw, "Re: The folder")
      yield* open("tasks")
      yield* Effect.promise(() => page.getByRole("row", { name: /The folder/ }).first().waitFor())
      assert.deepStrictEqual(faults, [])
    })
  },
  Effect.succeed({ SECRETS_KEY: "k".repeat(32) })
)
