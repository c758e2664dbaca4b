import { assert, it } from "@effect/vitest"
import { ownerOf, Service } from "@troupe/cli/Service"
import { Effect, Option, Redacted } from "effect"
import { serve } from "../support/LocalServer.ts"
import { encodedUser } from "../support/Samples.ts"

it.scopedLive("Files and memories are those of the token's user, or of the person whom the service finds", () =>
  Effect.gen(function*() {
    const url = yield* serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
      const user = encodedUser(request.headers.authorization === "Bearer of-ann" ? "u1" : "default")
      const found = pathname === "/users/me"
        ? user
        : pathname === "/users" && searchParams.get("user_id") === "Bea Bell"
        ? [encodedUser("u2")]
        : []
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found))
    })
    const owner = (token: string | null, given: string | null = null) =>
      ownerOf(Option.fromNullable(given)).pipe(
        Effect.provide(Service.layer({
          url,
          token: Option.map(Option.fromNullable(token), Redacted.make)
        }))
      )
    assert.strictEqual(yield* owner("of-ann"), "u1")
    assert.strictEqual(yield* owner("of-ann", "Bea Bell"), "u2")
    assert.strictEqual(yield* owner("of-ann", "of-nobody-yet"), "of-nobody-yet")
    assert.strictEqual(yield* owner(null), "default")
  }))
