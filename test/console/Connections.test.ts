import { assert, describe } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { createHmac } from "node:crypto"
import { say, sendEvent } from "../support/ChatEvents.ts"
import { chatToken, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import { processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { makeImapServer } from "../support/ImapServer.ts"
import { makeMailServer, password } from "../support/MailServer.ts"
import { browserNeed, consoleNeed, openPage } from "./Browser.ts"
import { inConsole, makeWorld } from "./Console.ts"
import { handsOn } from "./Hands.ts"

const secretsKey = "k".repeat(32)

const saved = "It is in effect in every process within 10 seconds."

inConsole(
  "What is connected in the browser",
  (test) => {
    test("is used at once: the team chat starts a task and gets its answer", function*(
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

    test("is used at once: a mail becomes a task, whose result is mailed", function*(
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
  Effect.succeed({ SECRETS_KEY: secretsKey })
)

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("A webhook type of a hosted service")),
  () => {
    processTest("gets its secret in the browser, and its signed deliveries need no token", function*() {
      const { issuer, signsIn } = yield* makeIdentityProvider
      signsIn({ sub: "owner", email: "owner@example.org", name: "Olga Owner" })
      const { browser, origin } = yield* makeWorld({
        DEPLOYMENT_MODE: "hosted",
        OIDC_ISSUER: issuer,
        OIDC_AUDIENCE: audience,
        OIDC_CLIENT_ID: "console",
        TEAM_OWNER_EMAIL: "owner@example.org",
        SECRETS_KEY: secretsKey
      })
      const { page } = yield* openPage(browser, origin)
      const { follow, load, open, press, sees, type } = handsOn(page, origin)
      yield* load("settings?view=webhooks")
      yield* follow("Sign in")
      yield* press("Add a type")
      yield* type("Type", "code-host")
      yield* type("Secret", "hush-of-the-test")
      yield* press("Save")
      yield* sees("Webhooks of type code-host are set up")
      const body = JSON.stringify({ action: "opened", repository: { name: "site" } })
      const deliver = (secret: string) => {
        const signature = createHmac("sha256", secret).update(body).digest("hex")
        const headers = {
          "content-type": "application/json",
          "x-github-delivery": secret,
          "x-hub-signature-256": `sha256=${signature}`
        }
        // A request of the page would bring its session.
        return Effect.promise(() =>
          browser.newContext().then(async (other) => {
            const answer = await other.request.post(`${origin}/webhook/code-host`, { data: body, headers })
            await other.close()
            return answer.status()
          })
        )
      }
      assert.strictEqual(yield* deliver("another-of-the-test"), 401)
      assert.strictEqual(yield* deliver("hush-of-the-test"), 200)
      yield* open("webhooks?type=code-host")
      yield* Effect.promise(() => page.getByRole("row", { name: /code-host/ }).first().waitFor())
    })
  }
)
