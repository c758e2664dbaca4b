import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { hosted, People, send } from "./hosted.ts"
import { isProblem, request } from "./RawHttp.ts"
import { Service } from "./service.ts"
import { file, formOf, type FormPart, formType, onDisk, user } from "./uploads.ts"

layer(hosted(), { excludeTestServices: true })("A hosted service", (it) => {
  it.effect("lets members act for themselves, and admins for everyone", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { member, owner } = yield* People
      const info = (yield* send(port, "GET", "/team/info", member)).json
      assert.deepInclude(info, { tier: "team", max_users: 3, user_count: 2, seats_remaining: 1 })
      const idOf = (email: string) =>
        Effect.map(send(port, "GET", "/team/info", owner), ({ text }) => {
          const { members }: { members: ReadonlyArray<{ email: string; user_id: string }> } = JSON.parse(text)
          return members.find((one) => one.email === email)?.user_id ?? ""
        })
      const own = yield* idOf("member@example.org")
      const other = yield* idOf("owner@example.org")
      const made = yield* send(port, "POST", "/chat", member, { message: "m" })
      assert.strictEqual(made.status, 202, made.text)
      assert.deepInclude(JSON.parse(made.text).task, { creator: own })
      const requests = (user: string) =>
        [
          ["POST", "/chat", { message: "m", user_id: user }],
          ["POST", "/human_response", { task_id: "x", response: "r", user_id: user }],
          ["PUT", `/users/${user}`, { title: "Editor" }],
          ["DELETE", `/users/${user}/overrides`],
          ["GET", `/users/${user}/notifications`],
          ["POST", `/users/${user}/notifications/x/mark_read`],
          ["DELETE", `/users/${user}/notifications/x`],
          ["GET", `/api/schedules?user_id=${user}`]
        ] as const
      const statuses = (token: string, user: string) =>
        Effect.forEach(requests(user), ([method, path, body]) =>
          Effect.map(send(port, method, path, token, body), ({ status }) => status))
      assert.deepStrictEqual(yield* statuses(member, other), Array(8).fill(403))
      assert.deepStrictEqual(yield* statuses(member, "nobody"), Array(8).fill(403))
      assert.deepStrictEqual(yield* statuses(member, own), [202, 404, 200, 200, 200, 404, 404, 200])
      assert.deepStrictEqual(yield* statuses(owner, own), [202, 404, 200, 200, 200, 404, 404, 200])
      for (
        const [method, path] of [["GET", "memories"], ["DELETE", "memories/x"], ["DELETE", "memories"], [
          "GET",
          "memories/export"
        ]] as const
      ) {
        isProblem(yield* send(port, method, `/users/${other}/${path}`, member), 403, "forbidden")
      }
      const upload = (token: string, ...parts: ReadonlyArray<FormPart>) =>
        request(port, {
          method: "POST",
          path: "/upload-file",
          headers: { authorization: `Bearer ${token}`, "content-type": formType },
          body: formOf(...parts)
        })
      isProblem(yield* upload(member, user(other), file()), 403, "forbidden")
      isProblem(yield* upload(member, file(), user(other)), 403, "forbidden")
      const unknown = isProblem(yield* upload(owner, user("nobody"), file()), 400, "person-unknown")
      assert.deepStrictEqual(unknown.errors, [
        { path: "user_id", message: "nobody has the id, address or name nobody" }
      ])
      assert.deepStrictEqual([...yield* onDisk(other), ...yield* onDisk("nobody")], [])
      const generate = { description: "d", save: true }
      isProblem(yield* send(port, "POST", "/api/skills/generate", member, generate), 403, "forbidden")
    }))

  it.effect("shows an invitation to whoever has its link, as a page that accepts and tells nothing", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { owner, provider: { issuer, token } } = yield* People
      const team = Effect.map(
        send(port, "GET", "/team/info", owner),
        ({ text }) =>
          (JSON.parse(text) as {
            members: ReadonlyArray<{ id: string; user_id: string; email: string; status: string }>
          })
            .members
      )
      const boss = (yield* team).find(({ email }) => email === "owner@example.org")?.user_id ?? ""
      yield* send(port, "PUT", `/users/${boss}`, owner, { display_name: "<b>Olga</b> https://evil.example" })
      const email = "o'neil@example.org"
      const invited = yield* send(port, "POST", "/team/invite", owner, { email })
      const { id }: { id: string } = JSON.parse(invited.text)
      const page = yield* send(port, "GET", `/invitation/${id}`, null)
      assert.strictEqual(page.status, 200)
      assert.deepInclude(page.headers, {
        "cache-control": "no-store",
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer"
      })
      assert.match(
        page.headers["content-security-policy"] ?? "",
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/
      )
      assert.include(page.text, "<strong>b Olga b https evil example (owner@example.org)</strong> invites")
      assert.include(page.text, "<strong>o&#39;neil@example.org</strong> to their team")
      const button = (text: string) =>
        `<a class="button" href="/team/auth/login?return_to=%2Fteam%2Fconsole%2F">${text}</a>`
      const signIn = button("Accept and sign in")
      assert.include(page.text, signIn)
      assert.notInclude(page.text, "TROUPE_TOKEN")
      assert.notMatch(page.text.replace(signIn, ""), /<script|<a |<img|<link|src=|href=/)
      const begun = yield* send(port, "GET", "/auth/login?return_to=%2Fteam%2Fconsole%2F", null)
      assert.strictEqual(begun.status, 302)
      assert.isTrue(begun.headers["location"]?.startsWith(issuer))
      const isPending = Effect.map(team, (all) => all.some((one) => one.email === email && one.status === "pending"))
      assert.isTrue(yield* isPending, "a mail scanner follows links")
      const neil = yield* token({ sub: "neil", email })
      assert.strictEqual((yield* send(port, "GET", "/tasks", neil)).status, 200)
      const accepted = yield* send(port, "GET", `/invitation/${id}`, null)
      assert.include(accepted.text, "was accepted")
      assert.include(accepted.text, button("Sign in"))
      assert.notInclude(accepted.text, "example.org")
      assert.strictEqual((yield* send(port, "DELETE", `/team/members/${id}`, owner)).status, 204)
      for (const unknown of [id, "x", "01a20a91-df5c-753d-9db0-38bd329254a6"]) {
        const { headers, status, text } = yield* send(port, "GET", `/invitation/${unknown}`, null)
        assert.deepStrictEqual([status, headers["referrer-policy"]], [404, "no-referrer"])
        assert.include(text, "No such invitation")
      }
    }))

  it.effect("invites within the seats, and says what is wrong with an invitation", () =>
    Effect.gen(function*() {
      const { port } = yield* Service
      const { owner, provider: { token } } = yield* People
      const invite = (body: unknown) => send(port, "POST", "/team/invite", owner, body)
      for (
        const [body, path] of [
          [{}, "email"],
          [{ email: "nobody" }, "email"],
          [{ email: "Ada <ada@example.org>" }, "email"],
          [{ email: "ada@example.org", role: "owner" }, "role"],
          [{ email: "ada@example.org", name: " " }, "name"]
        ] as const
      ) {
        const { errors } = isProblem(yield* invite(body), 400, "invalid-request")
        assert.deepStrictEqual(errors?.map((error) => error.path), [path])
      }
      isProblem(yield* invite({ email: "member@example.org" }), 409, "already-member")
      const first = yield* invite({ email: "Ada@Example.org", name: "Ada", role: "admin" })
      assert.strictEqual(first.status, 201)
      assert.deepInclude(first.json, { email: "ada@example.org", name: "Ada", role: "admin", status: "pending" })
      const again = yield* invite({ email: "ada@example.org" })
      assert.deepStrictEqual([again.status, again.json], [200, first.json])
      isProblem(yield* invite({ email: "late@example.org" }), 403, "seat-limit")
      const ada = yield* token({ sub: "ada", email: "ada@example.org" })
      assert.strictEqual((yield* send(port, "POST", "/team/invite", ada, { email: "ada@example.org" })).status, 409)
      const { members }: { members: ReadonlyArray<{ id: string; role: string }> } = JSON.parse(
        (yield* send(port, "GET", "/team/info", ada)).text
      )
      const boss = members.find(({ role }) => role === "owner")?.id ?? ""
      isProblem(yield* send(port, "DELETE", `/team/members/${boss}`, ada), 409, "owner-not-changeable")
      const { id }: { id: string } = JSON.parse(first.text)
      assert.strictEqual((yield* send(port, "DELETE", `/team/members/${id}`, owner)).status, 204)
      isProblem(yield* send(port, "DELETE", `/team/members/${id}`, owner), 404, "member-not-found")
      assert.strictEqual((yield* invite({ email: "late@example.org" })).status, 201)
    }))
})
