import { assert } from "@effect/vitest"
import { UserId } from "@troupe/domain/Ids"
import { type PersonUnknown } from "@troupe/domain/User"
import { Effect, Either } from "effect"
import { Users } from "../../src/People/User/Users.ts"
import { accounts } from "../support/ChatAccounts.ts"
import { inWorld, Wire } from "../support/TaskWorld.ts"

const ada = UserId.make("0199-ada")

/** Who is meant by a text, and what is said where nobody or more than one is. */
const meant = (given: string, { isHosted = false, mayBeNew = false } = {}) =>
  Effect.flatMap(Users, ({ named }) => named({ given, path: "assignee", isHosted, mayBeNew })).pipe(
    Effect.match({ onFailure: ({ reason }) => reason, onSuccess: (id): string => id })
  )

const each = (given: ReadonlyArray<string>, options?: Parameters<typeof meant>[1]) =>
  Effect.forEach(given, (one) => meant(one, options))

const insert = (columns: string, ...rows: ReadonlyArray<string>) =>
  Effect.flatMap(Wire, ({ query }) => query(`insert into users (id, ${columns}) values ${rows.join(", ")}`))

const givenAccounts = (given: Parameters<typeof accounts>[0]) =>
  Effect.flatMap(Wire, ({ query }) => query(accounts(given)))

inWorld("A person whom a request names", (test) => {
  test("is found by id, address and each name, in any case of letters", function*() {
    yield* insert(
      "name, display_name, email",
      "('0199-ada', 'Ada Ångström', 'ada', 'Ada@Example.org')",
      "('0199-bob', 'Bob  Stone', null, null)"
    )
    yield* givenAccounts({ "0199-ada": "U1", "0199-bob": "U2" })
    const spellings = ["0199-ada", " 0199-ada ", "ada@example.org", "ADA@EXAMPLE.ORG", "ada ångström", "ADA ÅNGSTRÖM"]
    const decomposed = "Ada \u00c5ngstro\u0308m"
    assert.deepStrictEqual(
      [...new Set(yield* each([...spellings, decomposed, "Ada", "Ada\u200b"]))],
      [ada]
    )
    assert.strictEqual(yield* meant("bob stone"), "0199-bob")
  })

  test("is found by the id of a user who was joined with them", function*() {
    const { query } = yield* Wire
    yield* query("insert into joined_users values ('former', '0199-ada')")
    assert.strictEqual(yield* meant("former"), ada)
  })

  test("is not guessed where two have the name: each is listed with an address or id", function*() {
    yield* insert(
      "name, email",
      "('0199-eve', 'Eve Moss', 'eve@example.org')",
      "('0199-eva', 'eve moss', null)"
    )
    yield* givenAccounts({ "0199-eve": "U3", "0199-eva": "U4" })
    assert.strictEqual(
      yield* meant("Eve Moss"),
      "more than one person is called Eve Moss; name one by address or id: eve moss (0199-eva), Eve Moss (eve@example.org)"
    )
    assert.strictEqual(yield* meant("eve@example.org"), "0199-eve")
  })

  test("is proposed, up to five, where nobody has the name", function*() {
    assert.strictEqual(
      yield* meant("Ada Angstrom"),
      "nobody has the id, address or name Ada Angstrom; did you mean one of these: Ada Ångström (Ada@Example.org)"
    )
    assert.include(yield* meant("Bbo"), "nobody has the id, address or name Bbo")
    assert.include(yield* meant("Stone"), "Bob  Stone (0199-bob)")
    yield* insert("name", ...Array.from({ length: 7 }, (_, at) => `('carl${at}', 'Carl ${at}')`))
    const failed: Either.Either<string, PersonUnknown> = yield* Effect.either(
      Effect.flatMap(Users, ({ named }) => named({ given: "Carl", path: "user_id", isHosted: false, mayBeNew: false }))
    )
    assert.lengthOf(Either.isLeft(failed) ? failed.left.candidates : [], 5)
  })

  test("may be new, self-hosted, where a user's id is asked for: no address, and nothing that is no id", function*() {
    assert.deepStrictEqual(yield* each(["zoe", "team-7.x"], { mayBeNew: true }), ["zoe", "team-7.x"])
    for (const given of ["zoe@example.org", "Zoe Zebra", "../zoe", "zoe\0", "\ud800", "%", "' or true --"]) {
      assert.include(yield* meant(given, { mayBeNew: true }), "nobody has")
    }
    assert.include(yield* meant("zoe"), "nobody has")
    assert.include(yield* meant("zoe", { isHosted: true, mayBeNew: true }), "nobody has")
  })

  test("is not a guest or an unknown sender who took the name of somebody of the team", function*() {
    yield* insert(
      "name, display_name, email, is_guest, overrides",
      "('guest', 'Ada Ångström', 'ada', 'x@guest.example', true, '{}')",
      "('guest-2', 'Grace Hopper', null, 'ada@example.org', true, '{}')",
      "('mail-1', 'Grace Hopper', null, 'grace@other.example', false, '{}')",
      "('named', 'evil', 'Partner', 'p@other.example', true, '{display_name}')",
      "('address', 'ada@new.example', null, null, false, '{}')"
    )
    yield* givenAccounts({ guest: "U8", "guest-2": "U9", named: "U10", address: "U11" })
    assert.strictEqual(yield* meant("Ada Ångström"), ada)
    assert.strictEqual(yield* meant("ada@example.org"), ada)
    assert.include(yield* meant("Grace Hopper"), "nobody has")
    assert.include(yield* meant("evil"), "nobody has")
    assert.include(yield* meant("ada@new.example"), "nobody has")
    assert.deepStrictEqual(yield* each(["Partner", "guest", "grace@other.example"]), ["named", "guest", "mail-1"])
  })

  test("is, in hosted mode, a member of the team, by the address of the seat", function*() {
    const { query } = yield* Wire
    yield* query(`insert into team_members (id, email, role, user_id, issuer, subject, joined_at)
      values (gen_random_uuid(), 'seat@example.org', 'member', '0199-bob', 'i', 's', now())`)
    yield* query("update users set email = 'boss@example.org', overrides = '{email}' where id = '0199-bob'")
    assert.deepStrictEqual(
      yield* each(["seat@example.org", "Bob Stone", "0199-bob"], { isHosted: true }),
      ["0199-bob", "0199-bob", "0199-bob"]
    )
    for (const given of ["boss@example.org", "Ada Ångström"]) {
      assert.include(yield* meant(given, { isHosted: true }), `nobody has the id, address or name ${given}`)
    }
    assert.include(yield* meant("Bob Ston", { isHosted: true }), "Bob  Stone (seat@example.org)")
  })
})
