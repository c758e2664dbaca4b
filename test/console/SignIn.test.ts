import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import type { Page } from "playwright-core"
import { query } from "../support/Database.ts"
import { until } from "../support/Processes.ts"
import { openPage } from "./Browser.ts"
import { inConsole } from "./Console.ts"
import { handsOn } from "./Hands.ts"
import { hosted, openAsOwner, signsIn, signsInOwner } from "./Hosted.ts"
import { showsOnlyText } from "./HostileChecks.ts"
import { payloads } from "./HostileTexts.ts"
import { looksRight } from "./Looks.ts"

inConsole(
  "The console of a hosted service",
  (test) => {
    test("shows the way to the sign-in, then the member, and lets only the owner change the team", function*(
      { browser, deployment, origin, page }
    ) {
      signsInOwner()
      yield* Effect.promise(() => page.goto(`${origin}/console/tasks?status=failed`))
      const way = page.getByRole("link", { name: "Sign in" })
      yield* Effect.promise(() => way.waitFor())
      yield* looksRight(page, "sign-in")
      yield* Effect.promise(async () => {
        await way.click()
        await page.waitForURL(({ pathname, searchParams }) =>
          pathname === "/console/tasks" && searchParams.get("status") === "failed"
        )
        await page.getByText("Olga Owner").locator("visible=true").waitFor()
      })
      yield* looksRight(page, "signed-in")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Sign out" }).click()
        await way.waitFor()
      })

      const signedIn = (page: Page) =>
        Effect.gen(function*() {
          const hands = handsOn(page, origin)
          yield* hands.load("team")
          yield* hands.follow("Sign in")
          yield* Effect.promise(() => page.getByRole("heading", { name: "Members" }).waitFor())
          return { page, ...hands }
        })
      const owner = yield* signedIn(page)
      yield* owner.press("Invite")
      yield* owner.type("E-mail address", "nobody")
      yield* Effect.promise(() => owner.page.keyboard.press("Enter"))
      yield* owner.sees("The invitation was not sent")
      yield* owner.type("E-mail address", "ada@example.org")
      yield* owner.type("Full name", "Ada Lovelace")
      yield* looksRight(owner.page, "team-invite")
      yield* Effect.promise(() => owner.page.keyboard.press("Enter"))
      yield* owner.sees(" of 3 seats taken")
      yield* Effect.promise(() =>
        owner.page.getByRole("region", { name: "Pending invitations" }).getByText("ada@example.org").waitFor()
      )

      const rename = (name: string) =>
        query(deployment.url, "update team_members set name = $1 where email = 'ada@example.org'", [name])
      yield* rename(payloads[0])
      yield* showsOnlyText({ origin, page: owner.page, open: owner.load }, { path: "team" })
      yield* rename("Ada Lovelace")

      yield* owner.open("team")
      yield* owner.press("New token")
      yield* owner.type("Name", "Nightly reports")
      yield* owner.press("Create the token")
      yield* owner.sees("It is not shown again.")
      const shown = owner.page.getByRole("group", { name: "token" })
      assert.match(yield* Effect.promise(() => shown.innerText()), /^trp_[A-Za-z0-9]{40}$/)
      yield* looksRight(owner.page, "token-created")
      yield* owner.press("I stored it")
      yield* owner.sees("never used")
      yield* looksRight(owner.page, "tokens")
      yield* owner.press("Revoke the token Nightly reports")
      yield* owner.press("Revoke the token")
      yield* owner.sees("None yet. With a token")

      signsIn("ada", "Ada Lovelace")
      const member = yield* signedIn((yield* openPage(browser, origin)).page)
      assert.strictEqual(yield* Effect.promise(() => member.page.getByRole("button", { name: "Invite" }).count()), 0)
      yield* member.open("system")
      yield* member.sees("Scheduled jobs")
      assert.strictEqual(yield* Effect.promise(() => member.page.getByText("Settings in effect").count()), 0)
      yield* member.open("tool-servers")
      yield* member.sees("The owner and admins add them.")

      const draft = member.page.getByLabel("What should the agent do?", { exact: true })
      const drafted = Effect.gen(function*() {
        yield* member.press("New task")
        return yield* Effect.promise(() => draft.inputValue())
      })
      const signsInAs = (sub: string, name: string) =>
        Effect.gen(function*() {
          yield* member.press("Close")
          yield* member.press("Sign out")
          signsIn(sub, name)
          yield* member.follow("Sign in")
          yield* member.sees(name)
        })
      assert.strictEqual(yield* drafted, "")
      yield* member.type("What should the agent do?", "What only Ada may read")
      yield* signsInAs("owner", "Olga Owner")
      assert.strictEqual(yield* drafted, "")
      yield* signsInAs("ada", "Ada Lovelace")
      assert.strictEqual(yield* drafted, "What only Ada may read")
      yield* member.press("Close")

      const cookie = Effect.promise(async () =>
        (await member.page.context().cookies()).find(({ name }) => name.endsWith("troupe_session"))?.value
      )
      const before = yield* cookie
      yield* query(
        deployment.url,
        "update sessions set ends_at = now() + interval '4 hours' where subject = 'ada'"
      )
      yield* member.load("memory")
      yield* until("the session was renewed", Effect.map(cookie, (now) => now !== undefined && now !== before))
      yield* member.sees("No memories yet")
      assert.strictEqual(yield* drafted, "What only Ada may read")
      yield* member.press("Close")

      yield* owner.open("tasks")
      yield* owner.press("New task")
      yield* owner.type("What should the agent do?", "use ask_human {\"question\": \"Which colour?\"}")
      yield* owner.press("Create task")
      yield* owner.sees("Waits for an answer")
      yield* member.open("?whose=all")
      yield* member.sees("You are all caught up")
      yield* member.open("tasks")
      yield* member.sees("Olga Owner")
      yield* Effect.promise(() => member.page.getByRole("row").nth(1).getByRole("link").click())
      yield* member.sees("Only its creator, its assignee, the owner and admins see")
      yield* looksRight(member.page, "task-of-others")
      const refused = member.page.getByRole("button", { name: /^(?:Cancel|Send|New skill|Generate|Reload)$/ })
      assert.strictEqual(yield* Effect.promise(() => refused.count()), 0)
      yield* member.open("skills")
      yield* member.sees("Built in")
      assert.strictEqual(yield* Effect.promise(() => refused.count()), 0)
      const operated = member.page.getByRole("link", { name: /^(?:Webhooks|Outbox)$/ })
      yield* Effect.promise(() => operated.first().waitFor({ state: "detached" }))
      yield* owner.open("webhooks")
      yield* Effect.promise(() => owner.page.getByText("Address to post to").click())
      yield* owner.sees("Each delivery needs the token of a member")
      yield* owner.sees("Authorization: Bearer $TOKEN")
      yield* member.open("webhooks")
      yield* member.sees("Only they may see and replay what webhooks have sent.")
      yield* member.follow("team")
      yield* Effect.promise(() => member.page.getByRole("heading", { name: "Members" }).waitFor())
      yield* member.open("tasks")
      yield* member.press("Change all …")
      yield* member.sees("Tasks of other people are not changed")
      yield* looksRight(member.page, "tasks-change-all-own")
      yield* member.press("Change nothing")

      yield* member.press("New task")
      yield* member.type("What should the agent do?", "use wait {\"seconds\": 600}")
      yield* member.press("Create task")
      yield* member.sees("Sleeps until")
      yield* Effect.promise(() => member.page.waitForURL(/tasks\/[0-9a-f-]{36}/))
      // Who cancels a task is not told of it.
      yield* owner.open(new URL(member.page.url()).pathname.slice("/console/".length))
      yield* owner.press("Cancel")
      yield* owner.type("Reason", "not needed by Ada")
      yield* owner.press("Cancel the task")
      yield* owner.sees("not needed by Ada")
      yield* owner.open("?whose=all&kind=failure")
      yield* owner.sees("not needed by Ada")
      assert.strictEqual(
        yield* Effect.promise(() => owner.page.getByRole("button", { name: "Seen", exact: true }).count()),
        0
      )

      yield* owner.load("team")
      yield* Effect.promise(() =>
        owner.page.getByRole("region", { name: "Members" }).getByText("ada@example.org").waitFor()
      )
      yield* Effect.promise(() => owner.page.getByLabel("Role of ada@example.org").selectOption("admin"))
      yield* owner.sees("Role changed")
      yield* member.load("team")
      yield* Effect.promise(() => member.page.getByRole("button", { name: "Invite" }).waitFor())
      yield* looksRight(owner.page, "team")
      yield* owner.press("Remove Ada Lovelace")
      yield* owner.press("Remove the member")
      yield* owner.sees("Everybody who was invited has signed in.")
      yield* Effect.promise(() => owner.page.getByText("ada@example.org").waitFor({ state: "detached" }))
      yield* member.load("")
      yield* Effect.promise(() => member.page.getByRole("link", { name: "Sign in" }).waitFor())
    })

    test("gives a webhook type its secret, and the signed deliveries of that type need no token", function*(given) {
      const { browser, open, origin, page, press, sees, type } = given
      yield* openAsOwner(given, "settings?view=webhooks")
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

    test("says why a preset of the environment can't be changed, and how to change that", function*(given) {
      const { page, sees } = given
      yield* openAsOwner(given, "policy")
      yield* sees("POLICY is set in the environment")
      assert.isTrue(yield* Effect.promise(() => page.getByLabel(/^Strict/).isDisabled()))
      assert.isTrue(yield* Effect.promise(() => page.getByLabel(/^Strict/).isChecked()))
    })
  },
  hosted
)
