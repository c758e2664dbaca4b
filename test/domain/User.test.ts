import { assert, describe, it } from "@effect/vitest"
import { defaultUser, systemUser, UserId } from "@troupe/domain/Ids"
import { newcomer, UserChanges } from "@troupe/domain/User"
import { Schema } from "effect"

const accepts = Schema.is(UserChanges)

describe("UserChanges", () => {
  it("take any of the fields, each with a value or null, or none of them", () => {
    assert.isTrue(accepts({}))
    for (const field of ["name", "display_name", "email", "title", "timezone", "responsibilities", "notify_by"]) {
      assert.isTrue(accepts({ [field]: null }), field)
    }
    assert.isTrue(accepts({ name: "Ada", email: "ada@example.org", timezone: "Europe/Berlin", notify_by: ["chat"] }))
  })

  it("refuse an invalid e-mail address, or one that could end a header line", () => {
    for (const email of ["ada+x@mail.example.org", "ö@example.org", "o'hara@example.museum"]) {
      assert.isTrue(accepts({ email }), email)
    }
    const wrong = ["", "ada", "ada@", "@example.org", "ada@example", "a b@example.org", "a@b@example.org"]
    for (
      const email of [...wrong, "Ada <ada@example.org>", "ada@example.org\r\nBcc: b@c.de", `${"a".repeat(250)}@b.de`]
    ) {
      assert.isFalse(accepts({ email }), email)
    }
  })

  it("take time zones by their IANA names only", () => {
    for (const timezone of ["UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires"]) {
      assert.isTrue(accepts({ timezone }), timezone)
    }
    for (const timezone of ["", "Mars/Olympus", "+02:00", "Europe/Berlin ", "CEST+2"]) {
      assert.isFalse(accepts({ timezone }), timezone)
    }
  })

  it("take the ways to notify by name, and bounded texts", () => {
    assert.isTrue(accepts({ notify_by: ["chat", "email", "ui"] }))
    assert.isTrue(accepts({ notify_by: [] }))
    assert.isFalse(accepts({ notify_by: ["pigeon"] }))
    assert.isFalse(accepts({ notify_by: "chat" }))
    assert.isFalse(accepts({ name: "" }))
    assert.isFalse(accepts({ name: "n".repeat(201) }))
    assert.isFalse(accepts({ responsibilities: "r".repeat(4_001) }))
  })

  it("remove duplicate ways to notify", () => {
    const { notify_by } = Schema.decodeUnknownSync(UserChanges)({ notify_by: ["email", "chat", "email"] })
    assert.deepStrictEqual(notify_by, ["email", "chat"])
  })
})

describe("newcomer", () => {
  it("owns a self-hosted instance as the default user, and is a member otherwise; only `system` is no person", () => {
    const [owner, system, ada] = [defaultUser, systemUser, UserId.make("ada")].map(newcomer)
    assert.deepInclude(owner, { role: "owner", is_system: false })
    assert.deepInclude(system, { role: "member", is_system: true })
    assert.deepStrictEqual(ada, { id: UserId.make("ada"), name: "ada", role: "member", is_system: false })
  })
})
