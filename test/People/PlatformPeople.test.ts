import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inWorld, syncAll, userOf } from "./channelSync.ts"
import { Platform, query } from "./chat.ts"

describe("A person of the platform", () => {
  const entered = (id: string, email: string) =>
    query("insert into users (id, email, overrides) values ($1, $2, '{email}')", [id, email])

  it.scopedLive("is the user with the same address", () =>
    inWorld(Effect.gen(function*() {
      const { state } = yield* Platform
      state.user("ADA")
      yield* entered("mine", "Ada@Example.org")
      yield* syncAll
      assert.strictEqual((yield* userOf("UADA"))?.id, "mine")
    })))

  it.scopedLive("is the member who signs in with that address, and not the user who entered it, in hosted mode", () =>
    inWorld(
      Effect.gen(function*() {
        const { state } = yield* Platform
        for (const name of ["ADA", "BOB"]) state.user(name)
        for (const name of ["ada", "bob"]) yield* entered(`other-${name}`, `${name}@example.org`)
        yield* entered("ada", "elsewhere@example.org")
        yield* query(
          `insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
           values (gen_random_uuid(), 'ada@example.org', 'member', 'ada', 'issuer', 'subject', now())`
        )
        yield* syncAll
        assert.strictEqual((yield* userOf("UADA"))?.id, "ada")
        assert.notStrictEqual((yield* userOf("UBOB"))?.id, "other-bob")
      }),
      false
    ))
})
