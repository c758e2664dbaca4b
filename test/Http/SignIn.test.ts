import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { cameBack, makeBrowser, ownPage, type Page, signIn } from "../support/Browser.ts"
import { hosted, member, People, publicUrl, session, signedIn } from "./hosted.ts"
import { Service } from "./service.ts"

/** A page for people, on which nothing runs. */
const isErrorPage = (page: Page, status: number, text: string) => {
  assert.strictEqual(page.status, status, page.text)
  assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
  assert.match(page.headers["content-security-policy"] ?? "", /^default-src 'none'; style-src 'sha256-[^ ]+'; base-uri/)
  assert.include(page.text, text)
  assert.notInclude(page.text, "<script")
  assert.notInclude(page.cookies.join(), session)
}

const status = ({ status }: Page) => status

layer(hosted(), { excludeTestServices: true })("A browser", (it) => {
  it.effect("signs in with the provider, and returns to the page that it came from", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { provider } = yield* People
      provider.signsIn(member)
      const browser = makeBrowser(port)
      assert.strictEqual((yield* browser.send("GET", "/auth/session")).status, 401)
      const begun = yield* browser.send(
        "GET",
        "/auth/login?return_to=%2Fteam%2Fconsole%2Ftasks%3Fstatus%3Dfailed%23end"
      )
      assert.strictEqual(begun.status, 302)
      const { searchParams } = new URL(begun.headers["location"] ?? "")
      assert.strictEqual(searchParams.get("redirect_uri"), "https://troupe.example.org/team/auth/callback")
      assert.strictEqual(searchParams.get("code_challenge_method"), "S256")
      const last = yield* browser.send("GET", yield* cameBack(begun))
      assert.strictEqual(last.status, 302, last.text)
      assert.strictEqual(last.headers["location"], "https://troupe.example.org/team/console/tasks?status=failed#end")
      const cookie = last.cookies.find((text) => text.startsWith(session)) ?? ""
      assert.match(cookie, /^__Host-troupe_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      const { text } = yield* browser.send("GET", "/auth/session", { headers: ownPage })
      const found = JSON.parse(text)
      assert.deepInclude(found, { role: "member", signed_in_by: "session", sign_in: "/team/auth/login" })
      assert.strictEqual(found.user.email, "member@example.org")
      const made = yield* browser.send("POST", "/chat", { headers: ownPage, body: { message: "m" } })
      assert.strictEqual(made.status, 202, made.text)
      const rows = JSON.stringify(yield* query("select * from sessions"))
      assert.notInclude(rows, browser.jar.get(session) ?? session)
    }))

  it.effect("is sent to no other site after the sign-in", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { provider } = yield* People
      provider.signsIn(member)
      for (
        const path of [
          "https://evil.example/",
          "//evil.example",
          "/\\evil.example",
          "/\t/evil.example",
          "javascript:alert(1)",
          "https://troupe.example.org@evil.example/",
          "https://x@troupe.example.org/",
          `/${"x".repeat(2000)}`
        ]
      ) {
        const { headers } = yield* signIn(makeBrowser(port), path)
        assert.strictEqual(headers["location"], publicUrl.href, path)
      }
      const { headers } = yield* signIn(makeBrowser(port), "/.//evil.example")
      assert.strictEqual(headers["location"], "https://troupe.example.org//evil.example")
    }))

  it.effect("completes only the sign-in that it began, once", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { provider } = yield* People
      provider.signsIn(member)
      const [victim, attacker] = [makeBrowser(port), makeBrowser(port)]
      const path = yield* Effect.flatMap(attacker.send("GET", "/auth/login"), cameBack)
      const began = "did not begin in this browser"
      isErrorPage(yield* victim.send("GET", path), 400, began)
      yield* victim.send("GET", "/auth/login")
      isErrorPage(yield* victim.send("GET", path), 400, began)
      // Its own state with the code of another sign-in.
      const own = yield* Effect.flatMap(victim.send("GET", "/auth/login"), cameBack)
      const code = new URLSearchParams(path.split("?")[1]).get("code") ?? ""
      const mixed = yield* victim.copy().send("GET", own.replace(/code=[^&]+/, `code=${code}`))
      assert.isAtLeast(mixed.status, 400)
      assert.notInclude(mixed.cookies.join(), session)
      const beforeEnd = victim.copy()
      assert.strictEqual((yield* victim.send("GET", own)).status, 302)
      const again = yield* victim.send("GET", own)
      assert.strictEqual(again.status, 302, "whoever is signed in is led home")
      assert.notInclude(again.cookies.join(), session)
      victim.jar.delete(session)
      isErrorPage(yield* victim.send("GET", own), 400, "completed already")
      const replayed = yield* beforeEnd.send("GET", own)
      assert.isAtLeast(replayed.status, 400)
      assert.notInclude(replayed.cookies.join(), session)
    }))

  it.effect("shows a person why the sign-in failed", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { provider } = yield* People
      const browser = makeBrowser(port)
      provider.signsIn({ sub: "eve", email: "eve@example.org" })
      isErrorPage(yield* signIn(browser), 403, "eve@example.org is not a member of the team")
      provider.signsIn({ ...member, email_verified: false })
      isErrorPage(yield* signIn(browser), 403, "verified e-mail address")
      const begun = yield* Effect.flatMap(browser.send("GET", "/auth/login"), cameBack)
      const denied = begun.replace(/code=[^&]+/, "error=access_denied&error_description=%3Cimg%20src%3Dx%3E")
      const page = yield* browser.send("GET", denied)
      isErrorPage(page, 403, "refused the sign-in: &lt;img src=x&gt;")
      assert.include(
        page.text,
        "<a class=\"button\" href=\"https://troupe.example.org/team/auth/login\">Sign in again</a>"
      )
    }))

  it.effect("renews its session without a question, and keeps it where the provider would ask or names somebody else", () =>
    Effect.gen(function*() {
      const { port, query } = yield* Service
      const { provider } = yield* People
      const browser = yield* signedIn
      const { text } = yield* browser.send("GET", "/auth/session", { headers: ownPage })
      const now = yield* Clock.currentTimeMillis
      const hours = (Date.parse(JSON.parse(text).renew_at) - now) / 3_600_000
      assert.approximately(hours, 12, 0.1)
      const renewal = Effect.tap(
        browser.send("GET", "/auth/login?prompt=none&return_to=%2Fteam%2Fconsole%2Ftasks"),
        ({ headers }) => assert.strictEqual(new URL(headers["location"] ?? "").searchParams.get("prompt"), "none")
      ).pipe(Effect.flatMap(cameBack))
      const finish = (path: string) =>
        Effect.map(browser.send("GET", path), (page) => {
          assert.strictEqual(page.status, 302, page.text)
          assert.strictEqual(page.headers["location"], "https://troupe.example.org/team/console/tasks")
          return browser.jar.get(session)
        })
      const former = browser.copy()
      const renewed = yield* Effect.flatMap(renewal, finish)
      assert.notStrictEqual(renewed, former.jar.get(session))
      assert.strictEqual(status(yield* browser.send("GET", "/tasks")), 200)
      // Another tab may be in the middle of a request.
      assert.strictEqual(status(yield* former.send("GET", "/tasks")), 200)
      const ending = "select from sessions where ends_at between now() and now() + interval '1 minute'"
      assert.lengthOf(yield* query(ending), 1)

      const refused = (yield* renewal).replace(/code=[^&]+/, "error=login_required")
      assert.strictEqual(yield* finish(refused), renewed)
      provider.signsIn({ sub: "owner", email: "owner@example.org" })
      assert.strictEqual(yield* Effect.flatMap(renewal, finish), renewed)
      provider.signsIn({ sub: "eve", email: "eve@example.org" })
      assert.strictEqual(yield* Effect.flatMap(renewal, finish), renewed)
      assert.strictEqual(status(yield* browser.send("GET", "/tasks")), 200)
      // Without a session nobody is signed in, and the browser is led back to where it finds that it has none.
      const stranger = makeBrowser(port)
      const begun = yield* stranger.send("GET", "/auth/login?prompt=none")
      assert.strictEqual(status(yield* stranger.send("GET", yield* cameBack(begun))), 302)
      assert.isFalse(stranger.jar.has(session))
      provider.signsIn(member)
      const signedOut = yield* stranger.send("GET", "/auth/login?prompt=none")
      assert.strictEqual(status(yield* stranger.send("GET", yield* cameBack(signedOut))), 302)
      assert.isFalse(stranger.jar.has(session))
      // What comes back too late leaves the session as it is.
      const late = yield* renewal
      browser.jar.clear()
      browser.jar.set(session, renewed ?? "")
      const home = yield* browser.send("GET", late)
      assert.deepStrictEqual([home.status, home.headers["location"]], [302, "https://troupe.example.org/team/"])
      assert.strictEqual(browser.jar.get(session), renewed)
    }))
})
