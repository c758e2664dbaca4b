import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { query } from "../support/Database.ts"
import { processTest } from "../support/Deployment.ts"
import { audience, makeIdentityProvider } from "../support/IdentityProvider.ts"
import { until } from "../support/Processes.ts"
import { browserNeed, consoleNeed, openPage, type WatchedPage } from "./Browser.ts"
import { makeWorld } from "./Console.ts"
import { handsOn } from "./Hands.ts"
import { payloads, showsOnlyText } from "./HostileTexts.ts"
import { looksRight } from "./Looks.ts"

describe.skipIf(browserNeed.isMissing || consoleNeed.isMissing)(
  consoleNeed.named(browserNeed.named("The console of a hosted service")),
  () => {
    processTest("shows the way to the sign-in, then the member, and lets only the owner change the team", function*() {
      const { issuer, signsIn } = yield* makeIdentityProvider
      signsIn({ sub: "owner", email: "owner@example.org", name: "Olga Owner" })
      const { browser, deployment, origin } = yield* makeWorld({
        DEPLOYMENT_MODE: "hosted",
        OIDC_ISSUER: issuer,
        OIDC_AUDIENCE: audience,
        OIDC_CLIENT_ID: "console",
        TEAM_OWNER_EMAIL: "owner@example.org"
      })
      const first = yield* openPage(browser, origin)
      yield* Effect.promise(() => first.page.goto(`${origin}/console/tasks?status=failed`))
      const way = first.page.getByRole("link", { name: "Sign in" })
      yield* Effect.promise(() => way.waitFor())
      yield* looksRight(first.page, "sign-in")
      yield* Effect.promise(async () => {
        await way.click()
        await first.page.waitForURL(({ pathname, searchParams }) =>
          pathname === "/console/tasks" && searchParams.get("status") === "failed"
        )
        await first.page.getByText("Olga Owner").locator("visible=true").waitFor()
      })
      yield* looksRight(first.page, "signed-in")
      yield* Effect.promise(async () => {
        await first.page.getByRole("button", { name: "Sign out" }).click()
        await way.waitFor()
      })

      const signedIn = ({ page }: WatchedPage) =>
        Effect.gen(function*() {
          const hands = handsOn(page, origin)
          yield* hands.load("team")
          yield* hands.follow("Sign in")
          yield* Effect.promise(() => page.getByRole("heading", { name: "Members" }).waitFor())
          return { page, ...hands }
        })
      const owner = yield* signedIn(first)
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

      signsIn({ sub: "ada", email: "ada@example.org", name: "Ada Lovelace" })
      const member = yield* signedIn(yield* openPage(browser, origin))
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
          signsIn({ sub, email: `${sub}@example.org`, name })
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
  }
)
