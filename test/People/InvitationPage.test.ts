import { HttpServerResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { MemberId } from "@troupe/domain/Team"
import { Effect } from "effect"
import { invitationPage } from "../../src/People/SignIn/InvitationPage.ts"
import { consoleSignIn } from "../../src/People/SignIn/SignIn.ts"

const publicUrl = new URL("https://example.org/troupe")

const letter: Parameters<typeof invitationPage>[0] = {
  id: MemberId.make("0199f0c2-0000-7000-8000-000000000001"),
  email: "ada@example.org",
  name: "Ada",
  role: "member",
  status: "pending",
  invited_by: null,
  invited_at: "2026-01-01T00:00:00.000Z",
  is_valid: true,
  inviter: { name: "Olga", email: "olga@example.org" },
  owner: { name: "Otto", email: "otto@example.org" }
}

const textOf = (changes: Partial<typeof letter>, login: URL | null) =>
  Effect.promise(() =>
    HttpServerResponse.toWeb(
      invitationPage({ ...letter, ...changes }, { login, issuer: "https://login.example.org", publicUrl })
    ).text()
  )

const buttonOf = (text: string) =>
  `<a class="button" href="/troupe/auth/login?return_to=%2Ftroupe%2Fconsole%2F">${text}</a>`

describe("The page of an invitation", () => {
  it.effect("says who invites to what, and has one way on where browsers sign in", () =>
    Effect.gen(function*() {
      const page = yield* textOf({}, consoleSignIn(publicUrl))
      assert.include(page, "<strong>Olga (olga@example.org)</strong> invites <strong>ada@example.org</strong>")
      assert.include(page, "to the team of Otto (otto@example.org) as a member")
      assert.lengthOf(page.match(/<a /g) ?? [], 1)
      assert.include(page, buttonOf("Accept and sign in"))
      assert.notMatch(page, /token|<pre|login\.example\.org/i)
      assert.include(yield* textOf({ status: "active" }, consoleSignIn(publicUrl)), buttonOf("Sign in"))
      assert.notInclude(yield* textOf({ is_valid: false }, consoleSignIn(publicUrl)), "<a ")
    }))

  it.effect("says whom to ask and how a program accepts it, only where browsers can't sign in", () =>
    Effect.gen(function*() {
      const page = yield* textOf({ role: "admin" }, null)
      assert.include(page, "as an admin")
      assert.include(page, "Sign in at https://login.example.org as ada@example.org")
      assert.match(page, /TROUPE_URL=https:\/\/example\.org\/troupe TROUPE_TOKEN=.*npx troupe tasks</)
      assert.lengthOf(page.match(/<a /g) ?? [], 1)
      assert.include(page, "href=\"mailto:olga%40example.org?subject=")
      assert.notInclude(yield* textOf({ status: "active" }, null), "<a ")
    }))
})
