import { assert, describe, it } from "@effect/vitest"
import { mailboxOf } from "@troupe/domain/Mailbox"
import { Either, FastCheck as fc } from "effect"

const good: ReadonlyArray<readonly [string, string, string]> = [
  ["ada@example.org", "", "ada@example.org"],
  ["  Ada Lovelace <ada@Example.ORG> ", "Ada Lovelace", "ada@example.org"],
  ["\"Lovelace, Ada\" <a.b+c@sub.example.org>", "Lovelace, Ada", "a.b+c@sub.example.org"],
  ["Zoë <zoe@bücher.example>", "Zoë", "zoe@xn--bcher-kva.example"],
  ["<ada@localhost>", "", "ada@localhost"]
]

const bad = [
  "",
  "ada",
  "ada@",
  "@example.org",
  "ada@example.org, bob@example.org",
  "ada@example.org;bob@example.org",
  "ada@example.org bob@example.org",
  "team: ada@example.org, bob@example.org;",
  "ada@example.org\r\nBcc: bob@example.org",
  "Ada\nBcc: bob@example.org <ada@example.org>",
  "ada@example.org\u0000",
  "Ada\u202E <ada@example.org>",
  "\"bob@example.org\" <ada@example.org>",
  "\"ada@example.org x\"@evil.example",
  "ada@example.org <bob@example.org> <c@example.org>",
  "ada(comment)@example.org",
  "zoë@example.org",
  "a..b@example.org",
  "ada@-example.org",
  "ada@example..org",
  "ada@127.0.0.1",
  "ada@[127.0.0.1]",
  "ada@1",
  "ada@example.org/x",
  `${"a".repeat(65)}@example.org`,
  `ada@${"a.".repeat(130)}org`,
  `${"A".repeat(101)} <ada@example.org>`
]

describe("An address", () => {
  it("is one mailbox, with or without a name", () => {
    for (const [text, name, address] of good) {
      assert.deepStrictEqual(mailboxOf(text), Either.right({ name, address }), text)
    }
  })

  it("is refused in every form in which it could be more or other than it looks", () => {
    for (const text of bad) assert.isTrue(Either.isLeft(mailboxOf(text)), JSON.stringify(text))
  })

  it.prop("holds nothing that ends a header or names a second one", [fc.fullUnicodeString()], ([text]) => {
    for (const given of [text, `${text}@example.org`, `ada@${text}`, `${text} <ada@example.org>`]) {
      const mailbox = mailboxOf(given)
      if (Either.isLeft(mailbox)) continue
      assert.match(mailbox.right.address, /^[^\s@<>,;:"()]+@[a-z0-9.-]+$/)
      assert.notMatch(mailbox.right.name, /[\p{Cc}<>"]/u)
    }
  })
})
