import { assert, it } from "@effect/vitest"
import { ownerOf, Service } from "@troupe/cli/Service"
import { UserId } from "@troupe/domain/Ids"
import { Effect, Option, Redacted } from "effect"
import { serve } from "../support/LocalServer.ts"
import { encodedUser } from "../support/Samples.ts"

it.scopedLive("Files and memories are those of the token's user, or of the given one", () =>
  Effect.gen(function*() {
    const url = yield* serve((request, response) => {
      const user = request.headers.authorization === "Bearer of-ann" ? "u1" : "default"
      const isKnown = request.url === "/users/me"
      response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" }).end(
        JSON.stringify(encodedUser(user))
      )
    })
    const owner = (token: string | null, given: string | null = null) =>
      ownerOf(Option.map(Option.fromNullable(given), (id) => UserId.make(id))).pipe(
        Effect.provide(Service.layer({
          url,
          token: Option.map(Option.fromNullable(token), Redacted.make)
        }))
      )
    assert.strictEqual(yield* owner("of-ann"), "u1")
    assert.strictEqual(yield* owner("of-ann", "u2"), "u2")
    assert.strictEqual(yield* owner(null), "default")
  }))
