import { assert, it } from "@effect/vitest"
import { ownerOf } from "@troupe/cli/Owner"
import { Service } from "@troupe/cli/Service"
import { UserId } from "@troupe/domain/Ids"
import { MemberId, type TeamInfo, type TeamMember } from "@troupe/domain/Team"
import { Effect, Encoding, Option, Redacted } from "effect"
import { serve } from "./HttpStub.ts"

const tokenOf = (claims: object) => `h.${Encoding.encodeBase64Url(JSON.stringify(claims))}.s`

const member = (user: string | null, email: string): TeamMember => ({
  id: MemberId.make("01a203a8-8051-736f-bd7c-e85550d48e52"),
  user_id: user === null ? null : UserId.make(user),
  email,
  name: null,
  role: "member",
  status: "active"
})
const team: TeamInfo = {
  tier: "team",
  max_users: 25,
  user_count: 2,
  seats_remaining: 23,
  members: [member("u1", "Ann@example.org"), member(null, "bob@example.org")]
}

it.scopedLive("Files and memories are those of the token's user, of the given one, or of a self-hosted service", () =>
  Effect.gen(function*() {
    let isHosted = true
    const url = yield* serve((_, response) => {
      const problem = { type: "/problems/not-found", title: "", status: 404, detail: "There is no team.", instance: "" }
      const [status, type, body] = isHosted
        ? [200, "application/json", team] as const
        : [404, "application/problem+json", problem] as const
      response.writeHead(status, { "content-type": type }).end(JSON.stringify(body))
    })
    const owner = (token: string | null, given: string | null = null) =>
      ownerOf(Option.map(Option.fromNullable(given), (id) => UserId.make(id))).pipe(
        Effect.provide(Service.layer({
          url: Option.some(url),
          token: Option.map(Option.fromNullable(token), Redacted.make)
        }))
      )
    const ann = tokenOf({ email: "ann@EXAMPLE.org" })
    assert.strictEqual(yield* owner(ann), "u1")
    assert.strictEqual(yield* owner(ann, "u2"), "u2")
    assert.strictEqual(yield* owner(null), "default")
    assert.strictEqual(yield* owner("no token"), "default")
    for (const email of ["bob@example.org", "eve@example.org"]) {
      assert.strictEqual((yield* Effect.flip(owner(tokenOf({ email })))).reason, "usage")
    }
    isHosted = false
    assert.strictEqual(yield* owner(ann), "default")
  }))
